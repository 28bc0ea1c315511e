// Loads that must be executed where the program has them, and as often.

#ifndef TILEWRIGHT_DIALECT_TILE_IR_VOLATILELOADS_H
#define TILEWRIGHT_DIALECT_TILE_IR_VOLATILELOADS_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright::tile {

/// Whether the load reads memory each time: it is volatile, or does not use caches.
inline bool readsEachTime(LoadOp load) { return load.getIsVolatile() || load.getCache() == CacheModifier::CV; }

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_VOLATILELOADS_H
