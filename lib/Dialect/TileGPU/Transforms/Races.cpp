#include "Races.h"

#include "Buffers.h"
#include "tilewright/Analysis/MayAlias.h"
#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"
#include "tilewright/Layout/Algebra.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright::tilegpu {

//===----------------------------------------------------------------------===//
// Accesses of operations
//===----------------------------------------------------------------------===//

static bool isBarrier(Operation *op) { return isa<BarrierOp, tile::BarrierOp>(op); }

/// The accesses through those operands on which the operation has read or write effects.
static SmallVector<MemoryAccess> accessesOf(Operation *op) {
  SmallVector<MemoryAccess> accesses;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    return accesses;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value value = effect.getValue();
    if (!value || !isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect())) {
      continue;
    }
    MemoryAccess access;
    access.op = access.since = op;
    access.isWrite = isa<MemoryEffects::Write>(effect.getEffect());
    if (auto alloc = isa<BufferType>(value.getType()) ? allocationOf(value) : LocalAllocOp()) {
      access.begin = static_cast<int64_t>(alloc.getOffset().value_or(0));
      access.end = access.begin + alloc.getType().getBytes();
      access.slot = value.getDefiningOp<LocalSlotOp>();
    } else if (!isa<BufferType>(value.getType())) {
      access.pointer = value;
    }
    accesses.push_back(access);
  }
  return accesses;
}

//===----------------------------------------------------------------------===//
// When order matters
//===----------------------------------------------------------------------===//

/// Whether both are atomics whose order does not matter: of the same kind, and without uses of the old values.
static bool commute(Operation *left, Operation *right) {
  auto one = dyn_cast<tile::AtomicRMWOp>(left), other = dyn_cast<tile::AtomicRMWOp>(right);
  return one && other && one.getKind() == other.getKind() && one.getKind() != tile::RMWKind::Xchg && one.use_empty() &&
         other.use_empty();
}

/// Whether both accesses to an element are by the same thread: they use the same pointer tile, whose pointers are all
/// different and each held by one thread.
static bool isByOneThread(const MemoryAccess &left, const MemoryAccess &right) {
  auto type = dyn_cast<RankedTensorType>(left.pointer.getType());
  auto access = dyn_cast<tile::MemoryAccessOpInterface>(left.op);
  bool isSamePlace = left.pointer == right.pointer && !left.isOfEarlierIteration && !right.isOfEarlierIteration;
  if (!isSamePlace || !type || !access) {
    return false;
  }
  std::vector<uint64_t> copies = layout::freeBits(mapOf(type));
  bool isShared = copies[1] != 0 || copies[2] != 0; // among lanes, among warps
  int wide = -1;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (size > 1) {
      isShared |= wide >= 0;
      wide = static_cast<int>(dim);
    }
  }
  return !isShared && (wide < 0 || contiguityOf(access, wide) >= type.getDimSize(wide));
}

/// Whether only the first thread executes the operation: a scalar store or atomic. All threads execute scalar loads.
static bool isByFirstThread(Operation *op) {
  auto access = dyn_cast<tile::MemoryAccessOpInterface>(op);
  return access && access.getAccessKind() != tile::AccessKind::Load &&
         !isa<RankedTensorType>(access.getPtr().getType());
}

/// Whether one of the accesses is an atomic with which the other must not be reordered. The atomic itself orders only
/// the accesses of its own thread; those of the other threads need a barrier.
static bool areOrdered(const MemoryAccess &left, const MemoryAccess &right, const ReadOnlyMemory &readOnly) {
  auto isMutable = [&](const MemoryAccess &access) { return !readOnly.contains(access.pointer); };
  auto before = dyn_cast<tile::AtomicOpInterface>(left.op), after = dyn_cast<tile::AtomicOpInterface>(right.op);
  return (after && after.releases() && isMutable(left)) || (before && before.acquires() && isMutable(right));
}

/// Whether the accesses are to different slots of a buffer in every iteration.
static bool areSlotsApart(const MemoryAccess &left, const MemoryAccess &right) {
  LocalSlotOp one = left.slot, other = right.slot;
  if (!one || !other || one.getSrc() != other.getSrc()) {
    return false;
  }
  std::optional<int64_t> index = getConstantIntValue(one.getIndex()),
                         otherIndex = getConstantIntValue(other.getIndex());
  if (index && otherIndex) {
    return *index != *otherIndex;
  }
  auto slots = static_cast<uint64_t>(one.getSrc().getType().getSlots());
  bool isSameIteration = one->getBlock() == other->getBlock() && !left.isOfEarlierIteration;
  return isSameIteration && one.getIteration() && other.getIteration() &&
         *one.getIteration() % slots != *other.getIteration() % slots;
}

bool RaceAnalysis::conflict(const MemoryAccess &left, const MemoryAccess &right) {
  if (!left.pointer != !right.pointer || (isByFirstThread(left.op) && isByFirstThread(right.op))) {
    return false;
  }
  if (left.pointer && areOrdered(left, right, readOnly)) {
    return true;
  }
  if (!left.isWrite && !right.isWrite) {
    return false;
  }
  if (!left.pointer) {
    bool isByOneThread = left.op == right.op; // in another iteration, to the same bytes of each thread
    return !isByOneThread && left.begin < right.end && right.begin < left.end && !areSlotsApart(left, right);
  }
  return mayAlias(left.pointer, right.pointer) && !commute(left.op, right.op) && !isByOneThread(left, right);
}

//===----------------------------------------------------------------------===//
// Data flow
//===----------------------------------------------------------------------===//

namespace {
/// A copy in flight, and the minimum number of groups committed since it started.
struct Copy {
  MemoryAccess access;
  int groups = 0;
};

/// Accesses since the last barrier on any path to this point.
struct State {
  SmallVector<MemoryAccess> recent;
  SmallVector<Copy> copies;

  void add(const MemoryAccess &access) {
    if (!llvm::is_contained(recent, access)) {
      recent.push_back(access);
    }
  }

  void start(const MemoryAccess &access) {
    llvm::erase_if(copies, [&](const Copy &copy) { return copy.access == access; });
    copies.push_back({access, 0});
  }

  /// Called when control leaves a region of `op`: values defined inside may have new values afterwards.
  void leaveIteration(Operation *op) {
    auto leave = [&](MemoryAccess &access) {
      Value place = access.slot ? access.slot.getResult() : access.pointer;
      access.isOfEarlierIteration |= place && op->isAncestor(place.getParentBlock()->getParentOp());
    };
    llvm::for_each(recent, leave);
    llvm::for_each(copies, [&](Copy &copy) { leave(copy.access); });
  }

  /// Joins the state of another path; returns whether anything changed.
  bool join(const State &other) {
    size_t before = recent.size() + copies.size();
    bool isChanged = false;
    llvm::for_each(other.recent, [&](const MemoryAccess &access) { add(access); });
    for (const Copy &copy : other.copies) {
      auto same = llvm::find_if(copies, [&](const Copy &mine) { return mine.access == copy.access; });
      if (same == copies.end()) {
        copies.push_back(copy);
      } else if (copy.groups < same->groups) {
        same->groups = copy.groups;
        isChanged = true;
      }
    }
    return isChanged || recent.size() + copies.size() != before;
  }
};

class Walk {
public:
  explicit Walk(RaceAnalysis &analysis) : analysis(analysis) {}

  /// Visits a block and updates `state` to that at its end. Stops at the first race.
  void visit(Block &block, State &state) {
    for (Operation &op : block) {
      if (race) {
        return;
      }
      visit(&op, state);
    }
  }

  std::optional<Race> race;

private:
  void visit(Operation *op, State &state) {
    if (isBarrier(op)) {
      state.recent.clear();
    } else if (isa<AsyncCommitOp>(op)) {
      llvm::for_each(state.copies, [](Copy &copy) { ++copy.groups; });
    } else if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
      arrive(state, wait);
    } else if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
      visitRegions(branch, state);
    } else {
      access(op, state);
    }
  }

  void access(Operation *op, State &state) {
    SmallVector<MemoryAccess> accesses = accessesOf(op);
    for (const MemoryAccess &access : accesses) {
      for (const MemoryAccess &earlier : state.recent) {
        if (analysis.conflict(earlier, access)) {
          race = Race{earlier.since, op};
          return;
        }
      }
    }
    for (const MemoryAccess &access : accesses) {
      isa<AsyncCopyOp>(op) ? state.start(access) : state.add(access);
    }
  }

  /// From a wait on, copies that have or may have completed are treated as ordinary accesses. Those covered by the wait
  /// on all paths are no longer in flight.
  static void arrive(State &state, AsyncWaitOp wait) {
    for (const Copy &copy : state.copies) {
      MemoryAccess access = copy.access;
      access.since = wait;
      state.add(access);
    }
    llvm::erase_if(state.copies, [&](const Copy &copy) { return copy.groups > static_cast<int>(wait.getPending()); });
  }

  /// Visits an operation's regions until the states at their entries reach a fixpoint.
  void visitRegions(RegionBranchOpInterface op, State &state) {
    llvm::MapVector<Region *, State> entries;
    SmallVector<Region *> todo;
    State end;
    auto flow = [&](ArrayRef<RegionSuccessor> successors, const State &from) {
      for (const RegionSuccessor &successor : successors) {
        if (successor.isParent()) {
          end.join(from);
          continue;
        }
        Region *region = successor.getSuccessor();
        bool isNew = !entries.contains(region);
        if (entries[region].join(from) || isNew) {
          todo.push_back(region);
        }
      }
    };
    SmallVector<RegionSuccessor> successors;
    op.getSuccessorRegions(RegionBranchPoint::parent(), successors);
    flow(successors, state);
    while (!todo.empty() && !race) {
      Region *region = todo.pop_back_val();
      State inside = entries[region];
      visit(region->front(), inside);
      successors.clear();
      auto terminator = cast<RegionBranchTerminatorOpInterface>(region->front().getTerminator());
      op.getSuccessorRegions(RegionBranchPoint(terminator), successors);
      inside.leaveIteration(op);
      flow(successors, inside);
    }
    state = std::move(end);
  }

  RaceAnalysis &analysis;
};
} // namespace

std::optional<Race> RaceAnalysis::find() {
  Walk walk(*this);
  State state;
  for (Region &region : function->getRegions()) {
    if (!region.empty()) {
      walk.visit(region.front(), state);
    }
  }
  return walk.race;
}

} // namespace tilewright::tilegpu
