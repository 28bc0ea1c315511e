// Accesses of threads to bytes of shared memory that no other thread accesses.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OWNACCESSES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OWNACCESSES_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

/// Whether each element of a tile is held by only one thread.
bool hasOneThreadPerElement(const layout::LinearLayout &map);

/// Whether the threads read what they will have copied themselves, when a copy has replaced the load and this store.
bool readsOwnCopy(LocalLoadOp read, LocalStoreOp store);

/// Whether two accesses to a buffer, or to its slots, are by the same thread for each element. Then no thread accesses
/// a byte that another one does, and no barrier is needed between the accesses.
bool areByTheSameThreads(mlir::Operation *one, mlir::Operation *other);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OWNACCESSES_H
