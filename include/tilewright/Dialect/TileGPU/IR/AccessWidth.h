// How a thread accesses a tile in global memory, given the attributes that `coalesce` set on the access and its layout.
//
//     tile.load %p contiguity [1, 32] width [1, 8]     up to eight consecutive elements per vector access
//     register = [[0, 1], [0, 2], [1, 0]]              a thread holds four consecutive elements
//                                                      -> registers {0, 1, 2, 3} and {4, 5, 6, 7}
//
// Both the pass that plans an asynchronous copy and the one that emits it use these functions, so that they agree.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_ACCESSWIDTH_H
#define TILEWRIGHT_DIALECT_TILEGPU_IR_ACCESSWIDTH_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Layout/VectorAccess.h"

namespace tilewright::tilegpu {

/// The number of consecutive addresses along a dimension, and of elements that one vector access may cover; 1 if
/// unknown.
int64_t contiguityOf(tile::MemoryAccessOpInterface access, int64_t dim);
int64_t vectorWidthOf(tile::MemoryAccessOpInterface access, int64_t dim);

/// The registers that a thread accesses with one instruction, along the dimension that allows the widest access.
layout::VectorAccess vectorAccessOf(tile::MemoryAccessOpInterface access);

/// The registers that a thread copies with one instruction from the addresses of `access` to shared memory, where they
/// have to be consecutive and in the same order too; `offsets` maps (register, lane, warp) to (offset).
layout::VectorAccess copyAccessOf(tile::MemoryAccessOpInterface access, const layout::LinearLayout &offsets);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECT_TILEGPU_IR_ACCESSWIDTH_H
