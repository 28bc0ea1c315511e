// insert-barriers: inserts barriers between conflicting memory accesses. See Passes.td.
//
//     local_store %x, %b                     local_store %x, %b
//                                            barrier
//     %y = local_load %b             =       %y = local_load %b
//     local_store %y, %c                     local_store %y, %c
//     %z = local_load %b                     %z = local_load %b
//
// One walk in the order of execution inserts the barriers. Where a loop's next iteration requires one, it may make
// those redundant that the loop's entry or its first iteration required:
//
//     barrier                     redundant: the barrier in the loop separates the same accesses
//     scf.for
//       barrier                   between the load and the store of the next iteration
//       local_store %x, %b
//       barrier
//       %y = local_load %b
//
// So afterwards each barrier is removed if no access that precedes it conflicts with one that follows it. Only the code
// up to the next barriers matters for that: the time of the pass grows linearly with the length of the program.
//
// Where the target's barriers can, those that separate accesses of shared memory only leave accesses to global memory
// in flight:
//
//     %x = tile.load %p                      %x = tile.load %p
//     barrier                           =    barrier shared
//     %y = local_load %b                     %y = local_load %b
//
// If only accesses outside of a loop need a barrier in it for global memory, it is inserted there.

#include "Races.h"
#include "RegionFlow.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_INSERTBARRIERS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

static bool isBarrier(Operation *op) { return isa<BarrierOp, tile::BarrierOp>(op); }

static bool isLoop(Operation *op) { return isa<LoopLikeOpInterface>(op); }

/// As late as possible, so that one barrier separates many accesses, but outside of loops that do not contain the first
/// access.
static Operation *placeBetween(Operation *first, Operation *second) {
  Operation *place = second;
  for (Operation *around = place->getParentOp(); !around->isAncestor(first); around = around->getParentOp()) {
    place = isLoop(around) ? around : place;
  }
  return place;
}

static int loopDepth(Operation *op) {
  int depth = 0;
  for (Operation *around = op->getParentOp(); around; around = around->getParentOp()) {
    depth += isLoop(around);
  }
  return depth;
}

//===----------------------------------------------------------------------===//
// Walks in the order of execution
//===----------------------------------------------------------------------===//

namespace {
/// Tracks recent accesses. Subclasses decide what to do about conflicts.
class AccessWalk {
public:
  using Flow = RegionFlow<AccessWalk, RecentAccesses>;
  using Arrivals = llvm::DenseMap<Operation *, RecentAccesses>;

  explicit AccessWalk(MemoryAccesses &accesses) : accesses(accesses) {}
  virtual ~AccessWalk() = default;

  void visit(Block &block, RecentAccesses &state) { visitFrom(block.begin(), block, state); }

  /// Visits what is executed after the beginning of `op`, to the end of the function.
  void resume(Operation *op, RecentAccesses &state) {
    visitFrom(Block::iterator(op), *op->getBlock(), state);
    while (auto around = dyn_cast<RegionBranchOpInterface>(op->getParentOp())) {
      if (isStopped() || state.empty()) {
        return;
      }
      Flow(*this, around).resume(*op->getBlock(), state);
      visitFrom(std::next(Block::iterator(around)), *around->getBlock(), state);
      op = around;
    }
  }

  static void follow(const Flow::Edge &edge, RecentAccesses &state) {
    if (edge.from) {
      state.leaveIteration(edge.op);
    }
  }

  virtual bool isStopped() const = 0;

  Arrivals arrivals; ///< what reaches each barrier

protected:
  /// Called for a conflict of the operation with an earlier access.
  virtual void onConflict(const MemoryAccess &earlier, const MemoryAccess &later, RecentAccesses &state) = 0;
  virtual void visitBranch(RegionBranchOpInterface op, RecentAccesses &state) { Flow(*this, op).enter(state); }
  virtual void finish(Operation *op, RecentAccesses &state) {
    for (const MemoryAccess &access : accesses.completedBy(op)) {
      if (!access.isReadOnly) {
        state.add(access);
      }
    }
  }
  /// Whether nothing of interest can follow.
  virtual bool isIdle(const RecentAccesses &) const { return false; }

  MemoryAccesses &accesses;

private:
  void visitFrom(Block::iterator begin, Block &block, RecentAccesses &state) {
    for (Operation &op : llvm::make_range(begin, block.end())) {
      if (isStopped() || isIdle(state)) {
        return;
      }
      visit(&op, state);
    }
  }

  void visit(Operation *op, RecentAccesses &state) {
    if (isBarrier(op)) {
      arrivals[op].join(state);
      auto barrier = dyn_cast<BarrierOp>(op);
      barrier &&barrier.getShared() ? state.passSharedBarrier(partitionOf(op)) : state.passBarrier(partitionOf(op));
    } else if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
      visitBranch(branch, state);
    } else {
      access(op, state);
    }
  }

  void access(Operation *op, RecentAccesses &state) {
    for (const MemoryAccess &later : accesses.startedBy(op)) {
      if (const MemoryAccess *earlier = state.findConflict(later)) {
        onConflict(*earlier, later, state);
      }
      if (isStopped()) {
        return;
      }
    }
    finish(op, state);
  }
};

/// Inserts a barrier at each conflict.
class Insertion : public AccessWalk {
public:
  using AccessWalk::AccessWalk;

  SmallVector<BarrierOp> barriers;
  bool hasFailed = false;

private:
  bool isStopped() const override { return restarted || hasFailed; }

  void onConflict(const MemoryAccess &earlier, const MemoryAccess &later, RecentAccesses &state) override {
    if (earlier.partition != later.partition) {
      InFlightDiagnostic error = later.op->emitOpError("may access the same memory as an operation of partition ")
                                 << earlier.partition << ", and no token orders the two partitions";
      error.attachNote(earlier.op->getLoc()) << "the other operation";
      hasFailed = true;
      return;
    }
    Operation *place = placeBetween(earlier.since, later.op);
    OpBuilder builder(place);
    barriers.push_back(BarrierOp::create(builder, later.op->getLoc()));
    if (later.partition != 0) {
      barriers.back()->setAttr(TileGPUDialect::kPartitionAttr, builder.getI64IntegerAttr(later.partition));
    }
    if (place == later.op) {
      state.passBarrier(later.partition);
    } else {
      restarted = place;
    }
  }

  /// Visits a loop again after barriers were inserted before it or in it: what reached a place before may not do so
  /// now.
  void visitBranch(RegionBranchOpInterface op, RecentAccesses &state) override {
    RecentAccesses before = state;
    size_t known = 0;
    do {
      if (restarted == op.getOperation()) {
        before.passBarrier(partitionOf(barriers.back()));
        restarted = nullptr;
      }
      known = barriers.size();
      state = before;
      AccessWalk::visitBranch(op, state);
    } while (!hasFailed && (restarted ? restarted == op.getOperation() : barriers.size() != known && isLoop(op)));
  }

  Operation *restarted = nullptr;
};

/// Records what reaches each barrier.
class Recording : public AccessWalk {
public:
  using AccessWalk::AccessWalk;

private:
  bool isStopped() const override { return false; }
  void onConflict(const MemoryAccess &, const MemoryAccess &, RecentAccesses &) override {
    llvm::report_fatal_error("insert-barriers has left conflicting accesses without a barrier");
  }
};

/// Looks for accesses that conflict with those that precede a removed barrier.
class Probe : public AccessWalk {
public:
  using AccessWalk::AccessWalk;

  bool foundConflict = false;

private:
  bool isStopped() const override { return foundConflict; }
  bool isIdle(const RecentAccesses &state) const override { return state.empty(); }
  void onConflict(const MemoryAccess &, const MemoryAccess &, RecentAccesses &) override { foundConflict = true; }
  void finish(Operation *, RecentAccesses &) override {}
};
} // namespace

//===----------------------------------------------------------------------===//
// Removing redundant barriers
//===----------------------------------------------------------------------===//

/// Removes barriers that others made redundant, starting with those in the innermost loops. Returns the others.
static SmallVector<BarrierOp> removeRedundant(func::FuncOp function, MemoryAccesses &accesses,
                                              SmallVector<BarrierOp> barriers) {
  Recording recording(accesses);
  RecentAccesses state;
  recording.visit(function.front(), state);
  llvm::stable_sort(barriers, [](BarrierOp a, BarrierOp b) { return loopDepth(a) > loopDepth(b); });
  SmallVector<BarrierOp> kept;
  for (BarrierOp barrier : barriers) {
    Operation *next = barrier->getNextNode();
    barrier->remove();
    Probe probe(accesses);
    RecentAccesses arriving = recording.arrivals[barrier];
    probe.resume(next, arriving);
    if (probe.foundConflict) {
      next->getBlock()->getOperations().insert(Block::iterator(next), barrier);
      kept.push_back(barrier);
      continue;
    }
    for (auto &[later, state] : probe.arrivals) {
      recording.arrivals[later].join(state);
    }
    barrier->destroy();
  }
  return kept;
}

//===----------------------------------------------------------------------===//
// Barriers that order shared memory only
//===----------------------------------------------------------------------===//

/// Whether all of the operation's effects on global memory are those of accesses that MemoryAccesses finds.
static bool hasKnownAccesses(Operation *op) {
  if (isBarrier(op) || isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
    return true;
  }
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    return false;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::all_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return effect.getValue() || effect.getResource() == SharedMemory::get() ||
           effect.getResource() == tile::Console::get();
  });
}

namespace {
/// Lets barriers order shared memory only, which leaves accesses to global memory in flight.
class Relaxation {
public:
  Relaxation(func::FuncOp function, MemoryAccesses &accesses) : function(function), accesses(accesses) { record(); }

  void relax(BarrierOp barrier) {
    barrier.setShared(true);
    barrier.setShared(!isNeeded(barrier) || moveOutOfLoops(barrier));
  }

private:
  void record() {
    recording = std::make_unique<Recording>(accesses);
    RecentAccesses state;
    recording->visit(function.front(), state);
  }

  /// Whether an access to global memory that precedes the barrier conflicts with one that follows.
  bool isNeeded(BarrierOp barrier) {
    Probe probe(accesses);
    RecentAccesses arriving = recording->arrivals[barrier];
    arriving.passSharedBarrier(partitionOf(barrier));
    probe.resume(barrier->getNextNode(), arriving);
    if (probe.foundConflict) {
      return true;
    }
    for (auto &[later, state] : probe.arrivals) {
      recording->arrivals[later].join(state);
    }
    return false;
  }

  /// Inserts barriers around the loop that order global memory instead of the barrier in it. Returns false if the loop
  /// needs one in each iteration.
  bool moveOutOfLoops(BarrierOp barrier) {
    int depth = loopDepth(barrier);
    if (depth == 0) {
      return false;
    }
    Insertion insertion(accesses);
    RecentAccesses state;
    insertion.visit(function.front(), state);
    if (llvm::any_of(insertion.barriers, [&](BarrierOp added) { return loopDepth(added) >= depth; })) {
      llvm::for_each(insertion.barriers, [](BarrierOp added) { added.erase(); });
      return false;
    }
    record();
    return true;
  }

  func::FuncOp function;
  MemoryAccesses &accesses;
  std::unique_ptr<Recording> recording;
};
} // namespace

/// Must come after redundant barriers are removed: those that are left order accesses to shared memory.
static void relaxBarriers(func::FuncOp function, MemoryAccesses &accesses, ArrayRef<BarrierOp> barriers) {
  WalkResult known = function.walk([](Operation *op) {
    return isa<func::FuncOp>(op) || hasKnownAccesses(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (known.wasInterrupted()) {
    return;
  }
  Relaxation relaxation(function, accesses);
  for (BarrierOp barrier : barriers) {
    relaxation.relax(barrier);
  }
}

//===----------------------------------------------------------------------===//
// Fences for what reads shared memory by another path than loads
//===----------------------------------------------------------------------===//

/// Whether a thread's writes to shared memory may be performed by the operation, or have been when it ends.
static bool mayWriteShared(Operation *op) {
  return !isMemoryEffectFree(op) &&
         !isa<GroupMmaOp, GroupMmaWaitOp, LocalLoadOp, AsyncCommitOp, tile::LoadOp, tile::StoreOp>(op);
}

/// The partition whose threads meet at the barrier; -1 for all threads.
static int64_t partitionAt(Operation *barrier) {
  auto own = dyn_cast<BarrierOp>(barrier);
  return own && !own.getJoint() ? partitionOf(barrier) : -1;
}

/// Every write that a group_mma or box_store reads is followed by a fence of its own thread, since a barrier is on
/// every path between them. A barrier needs none where the threads of its partition have written nothing since their
/// last fence in the same block.
static void addAsyncFences(func::FuncOp function) {
  auto findReader = [](Operation *op) {
    return isa<GroupMmaOp, BoxStoreOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  if (!function.walk(findReader).wasInterrupted()) {
    return;
  }
  function.walk([](Block *block) {
    llvm::SmallDenseSet<int64_t> fenced; // partitions
    for (Operation &op : *block) {
      if (isBarrier(&op) && fenced.insert(partitionAt(&op)).second) {
        OpBuilder builder(&op);
        AsyncFenceOp::create(builder, op.getLoc());
      } else if (!isBarrier(&op) && mayWriteShared(&op)) {
        fenced.clear();
      }
    }
  });
}

namespace {
class InsertBarriers : public tilegpu::impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration()) {
        continue;
      }
      MemoryAccesses accesses(function);
      Insertion insertion(accesses);
      RecentAccesses state;
      insertion.visit(function.front(), state);
      if (insertion.hasFailed) {
        return signalPassFailure();
      }
      SmallVector<BarrierOp> kept = removeRedundant(function, accesses, insertion.barriers);
      if (!kept.empty() && targetOf(function).fencesSpaces) {
        relaxBarriers(function, accesses, kept);
      }
      addAsyncFences(function);
    }
  }
};
} // namespace
