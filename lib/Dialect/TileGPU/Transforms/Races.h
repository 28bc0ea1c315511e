// Where threads of a program meet in memory without a barrier between them.
//
// Tile IR is sequential: a load sees the stores before it, whichever thread does
// them. Threads keep that order by themselves only for what each does alone. So of two
// accesses that may meet, at least one of them a write, there has to be a barrier on
// every path from one to the other:
//
//     local_store %x, %b          writes bytes 0 to 63 of shared memory
//     scf.for ... {
//       %y = local_load %b        reads them: a barrier, which had best stand before the loop
//     }
//
// Atomics that release or acquire order what other threads do to any memory behind pointers:
//
//     tile.store %part, %x        by all threads
//     tile.atomic_rmw add %count  by the first thread, and releases: a barrier before it
//     tile.load %parts            by all threads, and the atomic acquires: a barrier before it
//
// The barrier orders the accesses of all threads before the atomic of one, whose order is cumulative: whoever acquires
// what it releases sees those accesses too.
//
// The analysis follows the program's control and carries along what happened since the
// last barrier. An asynchronous copy meets earlier accesses where it starts; what comes
// later meets it at the wait that covers it, until which the program keeps away from
// its buffer.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_RACES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_RACES_H

#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

/// Two accesses without a barrier between them, in the order of execution.
struct Race {
  mlir::Operation *first, *second;
};

/// Something that one operation does to memory that others see.
struct MemoryAccess {
  mlir::Operation *op = nullptr;
  mlir::Operation *since = nullptr; ///< the operation itself, or the wait after which a copy is there
  bool isWrite = false;
  /// Bytes of shared memory, from begin up to end; of memory behind pointers where `pointer` is there.
  int64_t begin = 0, end = 0;
  LocalSlotOp slot; ///< of the buffer, where only that is touched
  mlir::Value pointer;
  /// Whether `pointer` or `slot` has had another value since then.
  bool isOfEarlierIteration = false;

  bool operator==(const MemoryAccess &other) const {
    return op == other.op && since == other.since && isWrite == other.isWrite && begin == other.begin &&
           pointer == other.pointer && isOfEarlierIteration == other.isOfEarlierIteration;
  }
};

class RaceAnalysis {
public:
  explicit RaceAnalysis(mlir::Operation *function) : function(function), readOnly(function) {}

  /// The first race that is met, if there is one. Barriers may come and go between calls, nothing else.
  std::optional<Race> find();

  /// Whether two accesses by different threads may meet and their order matters.
  bool conflict(const MemoryAccess &left, const MemoryAccess &right);

private:
  mlir::Operation *function;
  ReadOnlyMemory readOnly;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_RACES_H
