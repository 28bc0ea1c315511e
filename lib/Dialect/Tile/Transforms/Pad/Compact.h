// Operations that move elements between positions whose padding differs.

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PAD_COMPACT_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PAD_COMPACT_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright::tile {

/// Corrects a reshape of padded tiles that had the shapes `from` and `to`. Nothing changes if the elements are at the
/// same positions in row-major order of the padded tiles.
void keepElements(ReshapeOp reshape, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

/// Moves the elements of the right operand, which follow the padding of the left one, next to those of the left one.
/// Both operands had the size `size` along dimension 0.
void closeGap(CatOp cat, int64_t size);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PAD_COMPACT_H
