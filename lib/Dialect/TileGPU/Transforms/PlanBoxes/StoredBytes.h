// How much a store writes in all programs.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_STOREDBYTES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_STOREDBYTES_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright::tilegpu {

/// Whether the store writes more than `limit` bytes, as far as the number of programs and the bounds of loops tell: no
/// program is taken to leave out the store, and loops whose bounds other loops compute, or without bounds, to execute
/// it once. Emitted before the outermost loop, or the store.
mlir::Value emitStoresMoreThan(tile::StoreOp store, int64_t limit);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_STOREDBYTES_H
