#include "FirstCopies.h"

#include "../Buffers.h"
#include "../ExpandPipeline/Speculation.h"
#include "../TokenCopies.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// The number of steps from the first slot, in phase 0, to the position; none if it isn't constant. Modulo two rounds.
static std::optional<int64_t> stepsTo(Value slot, Value phase, int64_t slots) {
  int64_t steps = 0;
  for (auto next = slot.getDefiningOp<RingNextOp>(); next; next = slot.getDefiningOp<RingNextOp>()) {
    if (slot != next.getNext() || phase != next.getNextPhase() || static_cast<int64_t>(next.getSlots()) != slots) {
      return std::nullopt;
    }
    slot = next.getSlot();
    phase = next.getPhase();
    ++steps;
  }
  std::optional<int64_t> index = getConstantIntValue(slot), parity = getConstantIntValue(phase);
  return index && parity ? std::optional((steps + *index + (*parity != 0 ? slots : 0)) % (2 * slots)) : std::nullopt;
}

/// The barriers of the ring of which the loop waits for slots, if the ring begins in the body around the loop.
static LocalAllocOp ringOf(scf::ForOp loop) {
  for (auto wait : loop.getBody()->getOps<RingWaitOp>()) {
    LocalAllocOp ring = allocationOf(wait.getSlot());
    return ring && ring->getBlock() == loop->getBlock() ? ring : LocalAllocOp();
  }
  return LocalAllocOp();
}

static bool hasTokensOfCopies(scf::ForOp loop) {
  return llvm::any_of(loop.getInitArgs(), [&](Value init) {
    auto commit = init.getDefiningOp<AsyncCommitOp>();
    return commit && commit->getBlock() == loop->getBlock();
  });
}

/// The first loop in the body that has copies before it.
static scf::ForOp innerLoop(scf::ForOp outer) {
  for (auto loop : outer.getBody()->getOps<scf::ForOp>()) {
    if (ringOf(loop) || hasTokensOfCopies(loop)) {
      return loop;
    }
  }
  return scf::ForOp();
}

/// Takes the buffer of a copy into account. Returns false if it is not a ring of slots in the outer loop's body.
static bool addBuffer(Value buffer, scf::ForOp outer, FirstCopies &first) {
  LocalAllocOp alloc = allocationOf(buffer);
  if (!alloc || !buffer.getDefiningOp<LocalSlotOp>() || alloc->getBlock() != outer.getBody()) {
    return false;
  }
  first.buffers.insert(alloc);
  first.slots = alloc.getType().getSlots();
  return true;
}

/// Whether a group of the outer loop's body, before the inner loop, has the copy.
static bool isCommitted(AsyncCopyOp copy, scf::ForOp outer, scf::ForOp inner) {
  return copy->hasOneUse() && isa<AsyncCommitOp>(*copy->user_begin()) &&
         copy->user_begin()->getBlock() == outer.getBody() && copy->user_begin()->isBeforeInBlock(inner);
}

static bool isOfLoop(AsyncCommitOp commit, scf::ForOp outer, scf::ForOp inner) {
  return !commit.getCopies().empty() && llvm::all_of(commit->getUsers(), [&](Operation *user) {
    return user == inner || (isa<AsyncWaitOp>(user) && user->getBlock() == outer.getBody());
  });
}

/// Takes an operation before the inner loop into account. Returns false if it is a copy, but not one of the first ones
/// of this loop.
static bool collect(Operation *op, scf::ForOp outer, FirstCopies &first) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](AsyncCopyOp copy) {
        return !first.ring && addBuffer(copy.getBuffer(), outer, first) && isCommitted(copy, outer, first.inner);
      })
      .Case([&](AsyncCommitOp commit) { return !first.ring && isOfLoop(commit, outer, first.inner); })
      .Case([&](BoxCopyOp copy) {
        return allocationOf(copy.getSlot()) == first.ring && addBuffer(copy.getBuffer(), outer, first);
      })
      .Case([&](RingAcquireOp acquire) {
        return allocationOf(acquire.getSlot()) == first.ring && addBuffer(acquire.getSlot(), outer, first);
      })
      .Default([](Operation *) { return true; });
}

static bool collectCopies(scf::ForOp outer, FirstCopies &first) {
  for (Operation &op : llvm::make_range(outer.getBody()->begin(), Block::iterator(first.inner))) {
    if (!collect(&op, outer, first)) {
      return false;
    }
    if (isa<AsyncCopyOp, AsyncCommitOp, BoxCopyOp, RingAcquireOp>(op)) {
      first.ops.push_back(&op);
    }
  }
  return !first.buffers.empty() && llvm::all_of(first.buffers, [&](Operation *alloc) {
    return cast<LocalAllocOp>(alloc).getType().getSlots() == first.slots;
  });
}

/// Notes the position of a slot that the inner loop accesses: one that it carries and advances.
static bool addCarried(LocalSlotOp slot, FirstCopies &first) {
  scf::ForOp loop = first.inner;
  auto index = dyn_cast<BlockArgument>(slot.getIndex()), phase = dyn_cast_or_null<BlockArgument>(slot.getPhase());
  if (!index || !phase || index.getOwner() != loop.getBody() || phase.getOwner() != loop.getBody() ||
      index == loop.getInductionVar() || phase == loop.getInductionVar()) {
    return false;
  }
  auto next = loop.getTiedLoopYieldedValue(index)->get().getDefiningOp<RingNextOp>();
  bool isAdvanced = next && next.getSlot() == index && next.getPhase() == phase &&
                    next.getNext() == loop.getTiedLoopYieldedValue(index)->get() &&
                    next.getNextPhase() == loop.getTiedLoopYieldedValue(phase)->get() &&
                    static_cast<int64_t>(next.getSlots()) == first.slots;
  std::optional<int64_t> steps =
      stepsTo(loop.getTiedLoopInit(index)->get(), loop.getTiedLoopInit(phase)->get(), first.slots);
  if (!isAdvanced || !steps) {
    return false;
  }
  unsigned number = index.getArgNumber() - loop.getNumInductionVars();
  if (llvm::none_of(first.positions, [&](const CarriedPosition &position) { return position.slot == number; })) {
    first.positions.push_back({number, phase.getArgNumber() - loop.getNumInductionVars(), *steps});
  }
  return true;
}

/// Collects the positions of all slots of the buffers. Returns false if one is unknown, or after the inner loop, or if
/// the first slot is read before it.
static bool collectPositions(scf::ForOp outer, FirstCopies &first) {
  for (Operation *alloc : first.buffers) {
    for (Operation *user : alloc->getUsers()) {
      if (isa<RingBeginOp, RingEndOp>(user)) {
        continue;
      }
      auto slot = dyn_cast<LocalSlotOp>(user);
      if (!slot) {
        return false;
      }
      if (first.inner->isProperAncestor(slot)) {
        if (!addCarried(slot, first)) {
          return false;
        }
        continue;
      }
      std::optional<int64_t> steps =
          slot.getPhase() ? stepsTo(slot.getIndex(), slot.getPhase(), first.slots) : std::nullopt;
      bool isBefore = slot->getBlock() == outer.getBody() && llvm::all_of(slot->getUsers(), [&](Operation *access) {
                        return access->getBlock() == outer.getBody() && access->isBeforeInBlock(first.inner) &&
                               !isa<RingWaitOp>(access);
                      });
      if (!steps || !isBefore) {
        return false;
      }
      first.steps[slot] = *steps;
    }
  }
  return llvm::any_of(first.positions, [](const CarriedPosition &position) { return position.steps == 0; });
}

/// Whether no two of the copies write the same slot. If they do, what reads the slot between them can't follow both.
static bool areSlotsDistinct(const FirstCopies &first) {
  llvm::DenseSet<std::pair<Value, int64_t>> written;
  return llvm::all_of(first.ops, [&](Operation *op) {
    auto copy = dyn_cast<AsyncCopyOp>(op);
    auto boxes = dyn_cast<BoxCopyOp>(op);
    Value buffer = copy ? copy.getBuffer() : boxes ? boxes.getBuffer() : Value();
    auto slot = buffer ? buffer.getDefiningOp<LocalSlotOp>() : LocalSlotOp();
    return !slot || written.insert({slot.getSrc(), first.steps.lookup(slot) % first.slots}).second;
  });
}

/// Whether the wait after the inner loop is for all copies that the loop leaves in flight.
static bool waitsForAll(AsyncWaitOp wait, scf::ForOp inner) {
  TokenCopies copies;
  return wait && llvm::all_of(inner.getResults(), [&](Value result) {
           return !isa<TokenType>(result.getType()) || llvm::is_contained(wait.getTokens(), result) ||
                  copies.find(result).empty();
         });
}

/// Whether copies run ahead of the outer loop's iterations: those of boxes unless the user has asked for one stage, and
/// those by threads if the user has asked for more. On an H200, persistent matmuls with K = 512 took 0.84 of the cycles
/// with copies of boxes ahead; with copies by threads they were 1 % faster to 7 % slower.
static bool isPipelined(scf::ForOp outer, const FirstCopies &first) {
  return first.isAsked ? stagesOf(outer) >= 2 : static_cast<bool>(first.ring);
}

/// Adds the computation of what the operation uses. Returns false if it can't be executed an iteration ahead.
static bool addSlice(Operation *op, scf::ForOp outer, FirstCopies &first) {
  SmallVector<Value> values;
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    values = {copy.getPtr(), copy.getMask(), copy.getOther()};
  } else if (auto boxes = dyn_cast<BoxCopyOp>(op)) {
    llvm::append_range(values, boxes.getCoordinates());
    values.push_back(boxes.getExists());
  } else if (auto acquire = dyn_cast<RingAcquireOp>(op)) {
    values = {acquire.getExists()};
  }
  return llvm::all_of(
      values, [&](Value value) { return !value || addAheadSlice(value, outer, first.slice, &first.arguments); });
}

/// `plan-boxes` has made sure that nothing before a copy of boxes may write what it reads. So nothing in a loop around
/// it does.
static bool hasHazard(Operation *op, scf::ForOp outer, const ReadOnlyMemory &readOnly) {
  auto copy = dyn_cast<AsyncCopyOp>(op);
  return copy && hasHoistingHazard(copy.getPtr(), outer, readOnly);
}

std::optional<FirstCopies> FirstCopies::in(scf::ForOp outer, const ReadOnlyMemory &readOnly) {
  FirstCopies first;
  first.inner = innerLoop(outer);
  first.ring = first.inner ? ringOf(first.inner) : LocalAllocOp();
  first.isAsked = outer->hasAttr(tile::TileDialect::kNumStagesAttr);
  if (!first.inner || !isPipelined(outer, first)) {
    return std::nullopt;
  }
  first.end = dyn_cast_or_null<AsyncWaitOp>(first.inner->getNextNode());
  if ((!first.ring && !waitsForAll(first.end, first.inner)) || !collectCopies(outer, first) ||
      !collectPositions(outer, first) || !areSlotsDistinct(first)) {
    return std::nullopt;
  }
  bool canMove = llvm::all_of(
      first.ops, [&](Operation *op) { return !hasHazard(op, outer, readOnly) && addSlice(op, outer, first); });
  return canMove ? std::optional(std::move(first)) : std::nullopt;
}

} // namespace tilewright::tilegpu
