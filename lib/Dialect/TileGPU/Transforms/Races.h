// Finds conflicting accesses by different threads of a program without a barrier between them.
//
// Tile IR is sequential: a load sees the stores before it, whichever thread executes them. Threads maintain that order
// only for their own accesses. So if two accesses may alias and at least one of them writes, there has to be a barrier
// on every path from one to the other:
//
//     local_store %x, %b          writes bytes 0 to 63 of shared memory
//     scf.for ... {
//       %y = local_load %b        reads them: needs a barrier, preferably before the loop
//     }
//
// Atomics that release or acquire order the accesses of other threads to global memory:
//
//     tile.store %part, %x        by all threads
//     tile.atomic_rmw add %count  by the first thread, and releases: a barrier before it
//     tile.load %parts            by all threads, and the atomic acquires: a barrier before it
//
// The barrier orders the accesses of all threads before the atomic of one thread. Release order is cumulative: a thread
// that acquires the released value observes those accesses too.
//
// The analysis follows the control flow and tracks the accesses since the last barrier. An asynchronous copy may
// conflict with earlier accesses where it starts, and with later accesses from the wait that covers it; until then, the
// program does not access its buffer.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_RACES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_RACES_H

#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

/// Two accesses without a barrier between them, in the order of execution.
struct Race {
  mlir::Operation *first, *second;
};

/// An access by an operation to shared or global memory.
struct MemoryAccess {
  mlir::Operation *op = nullptr;
  mlir::Operation *since = nullptr; ///< the operation itself, or the wait after which a copy has completed
  bool isWrite = false;
  /// The accessed bytes of shared memory, [begin, end). Unused for global memory, for which `pointer` is set.
  int64_t begin = 0, end = 0;
  LocalSlotOp slot; ///< the slot, if the access is to one slot of its buffer
  mlir::Value pointer;
  /// Whether `pointer` or `slot` may have had another value at the access.
  bool isOfEarlierIteration = false;

  bool operator==(const MemoryAccess &other) const {
    return op == other.op && since == other.since && isWrite == other.isWrite && begin == other.begin &&
           pointer == other.pointer && isOfEarlierIteration == other.isOfEarlierIteration;
  }
};

class RaceAnalysis {
public:
  explicit RaceAnalysis(mlir::Operation *function) : function(function), readOnly(function) {}

  /// The first race found, if any. Between calls, barriers may be inserted and removed, but nothing else may change.
  std::optional<Race> find();

  /// Whether two accesses by different threads may alias and their order matters.
  bool conflict(const MemoryAccess &left, const MemoryAccess &right);

private:
  mlir::Operation *function;
  ReadOnlyMemory readOnly;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_RACES_H
