// Reductions and scans over dimensions that were padded.

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PAD_COMBINERS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PAD_COMBINERS_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright::tile {

/// Makes a reduction along a padded dimension, whose tiles had the shape `sizes`, ignore the padding.
void ignorePadding(ReduceOp reduce, llvm::ArrayRef<int64_t> sizes);

/// The same for a scan from the end; a scan from the start reaches the padding last.
void ignorePadding(ScanOp scan, llvm::ArrayRef<int64_t> sizes);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PAD_COMBINERS_H
