// Accesses to shared memory that the threads make to bytes of their own.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OWNACCESSES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OWNACCESSES_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

/// Whether each element of a tile is held by only one thread.
bool hasOneThreadPerElement(const layout::LinearLayout &map);

/// Whether two accesses to a buffer, or to its slots, distribute its elements over the threads in the same way, each to
/// one thread. Then no thread accesses a byte that another one does, and the accesses need no barrier between them.
bool areByTheSameThreads(mlir::Operation *one, mlir::Operation *other);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OWNACCESSES_H
