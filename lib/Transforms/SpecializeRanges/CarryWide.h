// Lets loops and branches pass on a 64-bit version of an integer beside the integer itself.
//
//     %r = scf.for ... iter_args(%o = %init) -> i32          %r:2 = scf.for ... iter_args(%o = %init, %w = extsi %init)
//       yield %next                                    ->      yield %next, extsi %next
//
// The new operands are extensions; the caller replaces them by the values that are to be passed on.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_CARRYWIDE_H
#define TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_CARRYWIDE_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright {

struct CarriedValues {
  /// An operand of a loop or a terminator, and the one that has its 64-bit version.
  struct Operands {
    mlir::Operation *op;
    unsigned narrow, wide;
  };

  /// Results and block arguments, each with its 64-bit version.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> versions;
  llvm::SmallVector<Operands> operands;
};

/// Adds versions of all results and block arguments of loops and branches that are in `wide`.
CarriedValues carryWide(mlir::FunctionOpInterface function, const llvm::DenseSet<mlir::Value> &wide);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_CARRYWIDE_H
