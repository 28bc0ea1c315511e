// Buffers in shared memory: their accesses and lifetimes.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_BUFFERS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_BUFFERS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// An operation that reads or writes a buffer or one of its slots.
struct BufferAccess {
  mlir::Operation *op;
  bool isWrite;
};

/// The allocation of a buffer or of the buffer of a slot; null for a block argument.
LocalAllocOp allocationOf(mlir::Value buffer);

/// All accesses to the buffer and its slots.
llvm::SmallVector<BufferAccess> accessesOf(LocalAllocOp alloc);

/// The buffers whose slots a ring orders.
llvm::SetVector<LocalAllocOp> buffersOf(LocalAllocOp ring);

/// The store of the tile that `load` reads, in the same block, if nothing else accesses the buffer; null otherwise.
LocalStoreOp storeFor(LocalLoadOp load);

/// When a buffer holds data, in operations from the start of the function.
///
///     0  %a = local_alloc
///     1  scf.for {               %a: 1 to 5, as the next iteration's store must not overwrite another buffer
///     2    local_store %x, %a
///     3    %y = local_load %a
///     4  }
///     5
///
/// That order is one of the operations of a partition. Buffers that different partitions access hold data at the same
/// time, whatever their positions.
struct Lifetime {
  LocalAllocOp alloc;
  int64_t begin = 0;     ///< the first write
  int64_t firstRead = 0; ///< the first read; a barrier separates it from the first write
  int64_t end = 0;       ///< the last access, or the wait for the copies in flight
  llvm::SmallSetVector<int64_t, 2> partitions;

  bool overlaps(const Lifetime &other) const {
    bool isOrdered = partitions.size() == 1 && other.partitions.size() == 1 && partitions[0] == other.partitions[0];
    return !isOrdered || (begin <= other.end && other.begin <= end);
  }
};

/// The lifetimes of all buffers below `root` that are accessed.
llvm::SmallVector<Lifetime> lifetimesOf(mlir::Operation *root);

/// The bytes of shared memory that `allocate-shared` uses for the buffers below `root`.
int64_t sharedBytesOf(mlir::Operation *root);
/// The same for those of them that `counts`.
int64_t sharedBytesOf(mlir::Operation *root, llvm::function_ref<bool(LocalAllocOp)> counts);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_BUFFERS_H
