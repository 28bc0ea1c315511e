// How a thread accesses a tile in global memory: what `coalesce` wrote on the access, seen in a layout.
//
//     tile.load %p contiguity [1, 32] width [1, 8]     eight elements in a row may be loaded as one
//     register = [[0, 1], [0, 2], [1, 0]]              a thread has four in a row
//                                                      -> registers {0, 1, 2, 3} and {4, 5, 6, 7}
//
// The pass that plans an asynchronous copy and the one that emits it both ask here, and get the same answer.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_ACCESSWIDTH_H
#define TILEWRIGHT_DIALECT_TILEGPU_IR_ACCESSWIDTH_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Layout/VectorAccess.h"

namespace tilewright::tilegpu {

/// Consecutive addresses along a dimension, and the elements that may be accessed as one: 1 where nothing is known.
int64_t contiguityOf(tile::MemoryAccessOpInterface access, int64_t dim);
int64_t vectorWidthOf(tile::MemoryAccessOpInterface access, int64_t dim);

/// The registers that a thread accesses as one, along the dimension in which these are most.
layout::VectorAccess vectorAccessOf(tile::MemoryAccessOpInterface access);

/// The registers that a thread copies as one from the addresses of `access` to shared memory, where they are
/// consecutive and in the same order; `offsets` maps (register, lane, warp) to (offset).
layout::VectorAccess copyAccessOf(tile::MemoryAccessOpInterface access, const layout::LinearLayout &offsets);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECT_TILEGPU_IR_ACCESSWIDTH_H
