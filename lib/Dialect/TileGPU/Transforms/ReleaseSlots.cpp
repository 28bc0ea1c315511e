// release-slots: tells when the slots of a ring are free again. See Passes.td.
//
//     scf.for iter_args(%j, %q, %previous)                  scf.for iter_args(%j, %q, %previous)
//       %done = ring_wait %ring[%j], %q                       %done = ring_wait %ring[%j], %q
//       %y = group_mma async %x, %b[%j], %acc         =       %y = group_mma async %x, %b[%j], %acc
//       group_mma_wait pending 1 read %b[%previous]           group_mma_wait pending 1 read %b[%previous]
//                                                             ring_release %ring[%previous] if not the first iteration
//
// The last read of a slot's data decides: dots in flight across iterations have read it an iteration later.

#include "Buffers.h"
#include "Iterations.h"
#include "RingPositions.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_RELEASESLOTS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

namespace {
/// The last read of a slot.
struct LastRead {
  Operation *op = nullptr; ///< in the loop's body
  Value index;             ///< of the slot
  int64_t later = 0;       ///< the iterations after the one that waited for the slot
  bool byThreads = false;  ///< whether threads have read the slot, too
};
} // namespace

static LocalSlotOp slotOf(Value buffer) { return buffer.getDefiningOp<LocalSlotOp>(); }

/// The slots that an operation of the loop reads.
static FailureOr<SmallVector<LocalSlotOp>> slotsReadBy(Operation *op, LocalAllocOp alloc) {
  SmallVector<LocalSlotOp> slots;
  for (Value operand : op->getOperands()) {
    if (isa<BufferType>(operand.getType()) && allocationOf(operand) == alloc) {
      slots.push_back(slotOf(operand));
      if (!slots.back()) {
        return failure();
      }
    }
  }
  return slots;
}

/// Takes a read of the slot into account.
static LogicalResult update(LastRead &last, Operation *op, LocalSlotOp read, LocalSlotOp waited, scf::ForOp loop) {
  std::optional<int64_t> later = slotsBetween(read.getIndex(), waited.getIndex(), waited.getSrc().getType().getSlots());
  Operation *around = loop.getBody()->findAncestorOpInBlock(*op);
  if (!later || *later > 1) {
    return op->emitOpError("reads a slot, and it is not known when that was filled");
  }
  if (!last.op || *later > last.later || (*later == last.later && last.op->isBeforeInBlock(around))) {
    last = {around, read.getIndex(), *later, last.byThreads};
  }
  last.byThreads |= isa<LocalLoadOp>(op);
  return success();
}

static FailureOr<LastRead> findLastRead(scf::ForOp loop, LocalSlotOp waited, LocalAllocOp ring) {
  LastRead last;
  for (LocalAllocOp alloc : buffersOf(ring)) {
    for (const BufferAccess &access : accessesOf(alloc)) {
      if (access.isWrite || !loop->isProperAncestor(access.op)) {
        continue;
      }
      FailureOr<SmallVector<LocalSlotOp>> slots = slotsReadBy(access.op, alloc);
      if (failed(slots)) {
        return access.op->emitOpError("reads all slots of a ring");
      }
      for (LocalSlotOp slot : *slots) {
        if (failed(update(last, access.op, slot, waited, loop))) {
          return failure();
        }
      }
    }
  }
  return last.op ? FailureOr<LastRead>(last) : FailureOr<LastRead>(loop.emitOpError("reads no slot of its ring"));
}

/// A copy into the slot that is released must follow the release, or the first thread would wait for itself.
static LogicalResult checkOrder(scf::ForOp loop, const LastRead &last, LocalAllocOp ring) {
  for (auto acquire : loop.getBody()->getOps<RingAcquireOp>()) {
    LocalSlotOp slot = slotOf(acquire.getSlot());
    if (slot.getSrc() != ring.getResult()) {
      continue;
    }
    std::optional<int64_t> distance = slotsBetween(last.index, slot.getIndex(), ring.getType().getSlots());
    if (!distance || (*distance == 0 && acquire->isBeforeInBlock(last.op))) {
      return acquire.emitOpError("waits for a slot before the loop releases it");
    }
  }
  return success();
}

/// Whether a loop around this one goes on with the ring.
static bool outlives(LocalAllocOp ring, scf::ForOp loop) {
  return llvm::any_of(ring->getUsers(),
                      [&](Operation *user) { return isa<RingBeginOp>(user) && user->getBlock() != loop->getBlock(); });
}

/// Releases what the last iteration has read, after the wait for its dots.
static LogicalResult releaseAfter(scf::ForOp loop, const LastRead &last, LocalSlotOp waited) {
  auto index = dyn_cast<BlockArgument>(last.index);
  Operation *wait = loop;
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
    auto dots = dyn_cast<GroupMmaWaitOp>(op);
    bool isOfLoop =
        dots && llvm::any_of(dots->getOperands(), [&](Value operand) { return operand.getDefiningOp() == loop; });
    wait = isOfLoop ? op : wait;
  }
  if (!index || index.getOwner() != loop.getBody() || wait == loop) {
    return loop.emitOpError("reads a slot, and it is not known when it has read the last one");
  }
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointAfter(wait);
  Location loc = loop.getLoc();
  Value exists = hasAny(builder, loc, loop);
  auto slot = LocalSlotOp::create(builder, loc, waited.getType(), waited.getSrc(), loop.getTiedLoopResult(index),
                                  /*phase=*/Value());
  RingReleaseOp::create(builder, loc, slot, exists, last.byThreads);
  return success();
}

/// The waits for slots of the ring before the loop, which reads data of the next iteration.
static SmallVector<RingWaitOp> waitsBefore(scf::ForOp loop, LocalAllocOp ring) {
  return llvm::filter_to_vector(loop->getBlock()->getOps<RingWaitOp>(), [&](RingWaitOp wait) {
    return allocationOf(wait.getSlot()) == ring && wait->isBeforeInBlock(loop);
  });
}

/// Whether the wait comes before a loop that waits for the other slots of the ring.
static bool isBeforeLoop(RingWaitOp wait) {
  LocalAllocOp ring = allocationOf(wait.getSlot());
  return llvm::any_of(wait->getBlock()->getOps<scf::ForOp>(), [&](scf::ForOp loop) {
    return wait->isBeforeInBlock(loop) && llvm::any_of(loop.getBody()->getOps<RingWaitOp>(), [&](RingWaitOp inner) {
             return allocationOf(inner.getSlot()) == ring;
           });
  });
}

/// Releases the slot of a wait before the loop after the last read there.
static void releaseBefore(scf::ForOp loop, RingWaitOp wait, LocalAllocOp ring) {
  Operation *last = wait;
  for (LocalAllocOp alloc : buffersOf(ring)) {
    for (const BufferAccess &access : accessesOf(alloc)) {
      Operation *around = access.isWrite ? nullptr : loop->getBlock()->findAncestorOpInBlock(*access.op);
      last = around && around->isBeforeInBlock(loop) && last->isBeforeInBlock(around) ? around : last;
    }
  }
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointAfter(last);
  RingReleaseOp::create(builder, wait.getLoc(), wait.getSlot(), wait.getExists(), /*by_threads=*/true);
}

static LogicalResult release(scf::ForOp loop, RingWaitOp wait) {
  LocalSlotOp waited = slotOf(wait.getSlot());
  LocalAllocOp ring = allocationOf(waited);
  FailureOr<LastRead> last = findLastRead(loop, waited, ring);
  if (failed(last) || failed(checkOrder(loop, *last, ring))) {
    return failure();
  }
  SmallVector<RingWaitOp> before = waitsBefore(loop, ring);
  auto ahead = static_cast<int64_t>(before.size());
  if (ahead > 1) {
    return loop.emitOpError("reads slots more than one iteration ahead");
  }
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointAfter(last->op);
  Location loc = wait.getLoc();
  // The slot is that of a wait `last->later` iterations ago, the first of which was `ahead` iterations before the loop.
  bool isOfBefore = last->later > ahead, isOfLater = last->later < ahead;
  Value exists = isOfBefore ? isNotFirst(builder, loc, loop) : isOfLater ? wait.getExists() : Value();
  auto slot = LocalSlotOp::create(builder, loc, waited.getType(), waited.getSrc(), last->index, /*phase=*/Value());
  RingReleaseOp::create(builder, loc, slot, exists, last->byThreads);
  if (isOfLater) {
    releaseBefore(loop, before.front(), ring);
  }
  return isOfBefore && outlives(ring, loop) ? releaseAfter(loop, *last, waited) : success();
}

namespace {
class ReleaseSlots : public tilegpu::impl::ReleaseSlotsBase<ReleaseSlots> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](RingWaitOp wait) {
      if (isBeforeLoop(wait)) {
        return WalkResult::advance();
      }
      auto loop = dyn_cast<scf::ForOp>(wait->getParentOp());
      return loop && succeeded(release(loop, wait)) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted()) {
      signalPassFailure();
    }
  }
};
} // namespace
