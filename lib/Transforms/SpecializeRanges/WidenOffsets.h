// Computes the offsets of pointers in 64 bits where 32 may not be enough.
//
//     %s = arith.muli %id, %stride : i32             %s = arith.muli (extsi %id), (extsi %stride) : i64
//     %o = arith.addi %s, %column : i32              %o = arith.addi %s, (extsi %column) : i64
//     %p = tile.addptr %x, %o : ..., i32      ->     %p = tile.addptr %x, %o : ..., i64
//     %m = arith.cmpi slt, %o, %n : i32              %m = arith.cmpi slt, %o, (extsi %n) : i64
//
// The 32-bit operations remain for all other uses. Loops and branches that pass an index on get a second, 64-bit one.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_WIDENOFFSETS_H
#define TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_WIDENOFFSETS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tilewright {

/// Which operations are replaced, and all that is computed from them.
enum class Widened {
  MayWrap,       ///< those for which ranges do not prove that they never wrap
  ConstantsWrap, ///< those of constants that have a sum or a product of more than 32 bits
};

/// Lets addresses, and comparisons of what they are computed from, depend on no such operation (AddressArithmetic.h).
/// Removes what is dead afterwards.
void widenOffsets(mlir::FunctionOpInterface function, Widened which);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_WIDENOFFSETS_H
