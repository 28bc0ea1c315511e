// Rewrites dots of element types that no instruction supports.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_PRECISION_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_PRECISION_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright::tilegpu {

/// Whether both operands are 8-bit floats or f16, and at least one is an 8-bit float.
bool canWidenToHalf(tile::DotOp dot);

/// Widens the 8-bit operands to f16, which represents all their values.
void widenToHalf(tile::DotOp dot);

/// Replaces a dot by three tf32 dots, with nearly the precision of f32. With x = big + small, where big has the leading
/// bits that tf32 keeps:
///
///     a @ b = a.big @ b.big + (a.big @ b.small + a.small @ b.big)
///
/// Returns the three dots and erases `dot`.
llvm::SmallVector<tile::DotOp> splitIntoThree(tile::DotOp dot);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_PRECISION_H
