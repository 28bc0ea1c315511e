// Products in types that no instruction takes, as products in types that one does.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_PRECISION_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_PRECISION_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright::tilegpu {

/// Whether both are floats of 8 bits or half precision, and one of them of 8 bits.
bool canWidenToHalf(tile::DotOp dot);

/// Operands of 8 bits in half precision, which holds all their values.
void widenToHalf(tile::DotOp dot);

/// Three products in tf32 for one in nearly all of f32's precision. With x = big + small, big being the leading bits
/// that tf32 keeps:
///
///     a @ b = a.big @ b.big + (a.big @ b.small + a.small @ b.big)
///
/// Returns the three and erases `dot`.
llvm::SmallVector<tile::DotOp> splitIntoThree(tile::DotOp dot);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_PRECISION_H
