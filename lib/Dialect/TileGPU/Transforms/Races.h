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
// An asynchronous copy may conflict with earlier accesses where it starts, and with later accesses from the wait for
// its token; until then, the program does not access its buffer.
//
// The uses of a ring's slots need no barrier: copies of boxes wait until the slot is free, and reads until it is full.
// Nor do buffers from which warp groups copy boxes: each group accesses its own rows, and waits for its own
// threads.
//
// A barrier separates the accesses of one partition. Those of two partitions that may conflict need a token: from the
// wait for a copy on, the copy is an access of the partition that waits.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_RACES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_RACES_H

#include "TokenCopies.h"
#include "tilewright/Analysis/ReadOnlyMemory.h"

#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// An access by an operation to shared or global memory.
struct MemoryAccess {
  mlir::Operation *op = nullptr;
  mlir::Operation *since = nullptr; ///< the operation itself, or the wait after which a copy has completed
  int64_t partition = 0;
  bool isWrite = false;
  /// The accessed bytes of shared memory, [begin, end). Unused for global memory, for which `pointer` is set.
  int64_t begin = 0, end = 0;
  LocalAllocOp alloc; ///< of the buffer
  LocalSlotOp slot;   ///< the slot, if the access is to one slot of its buffer
  mlir::Value pointer;
  const PointerRoots *roots = nullptr; ///< of the pointer
  bool isReadOnly = false;             ///< of memory that no program writes
  /// Whether `pointer` or `slot` may have had another value at the access.
  bool isOfEarlierIteration = false;

  bool isRead() const { return !isWrite && !mlir::isa<tile::AtomicOpInterface>(op); }
};

/// Determines the accesses of operations and which of them conflict.
class MemoryAccesses {
public:
  explicit MemoryAccesses(mlir::Operation *function) : readOnly(function) {}

  /// The accesses that the operation starts.
  llvm::ArrayRef<MemoryAccess> startedBy(mlir::Operation *op);

  /// The accesses that have completed after the operation: those it starts, unless it is asynchronous, or the copies
  /// for which it waits.
  llvm::ArrayRef<MemoryAccess> completedBy(mlir::Operation *op);

  /// Whether two accesses by different threads may alias and their order matters. `isEarlier`: the left one may be of
  /// an earlier iteration.
  static bool conflict(const MemoryAccess &left, bool isEarlier, const MemoryAccess &right);

private:
  using Table = llvm::DenseMap<mlir::Operation *, std::unique_ptr<llvm::SmallVector<MemoryAccess, 2>>>;

  llvm::SmallVector<MemoryAccess, 2> find(mlir::Operation *op);

  ReadOnlyMemory readOnly;
  PointerRootsCache roots;
  TokenCopies tokens;
  Table started, waitedFor;
};

/// Accesses since the last barrier on any path to a point.
class RecentAccesses {
public:
  /// An access, and whether it may be of an earlier iteration.
  using Entry = llvm::PointerIntPair<const MemoryAccess *, 1, bool>;

  bool empty() const { return reads.empty() && writes.empty(); }
  void add(const MemoryAccess &access) { add(Entry(&access, access.isOfEarlierIteration)); }

  /// Removes what a barrier of the partition separates from later accesses.
  void passBarrier(int64_t partition);
  /// The same for a barrier that only orders accesses of shared memory.
  void passSharedBarrier(int64_t partition);

  /// Called when control leaves a region of `op`: values defined inside may have new values afterwards.
  void leaveIteration(mlir::Operation *op);

  /// Joins the state of another path; returns whether anything changed.
  bool join(const RecentAccesses &other);

  /// The first access that conflicts with a later one; null if there is none.
  const MemoryAccess *findConflict(const MemoryAccess &later) const;

private:
  using Entries = llvm::SetVector<Entry, llvm::SmallVector<Entry>, llvm::DenseSet<Entry>>;

  void add(Entry entry) { (entry.getPointer()->isRead() ? reads : writes).insert(entry); }

  Entries reads, writes; ///< separate, as two reads never conflict; atomics are among the writes
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_RACES_H
