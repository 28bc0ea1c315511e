#include "OverlapSums.h"

#include "Buffers.h"
#include "CarriedSlots.h"
#include "GroupMmaChains.h"
#include "RingPositions.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// The first operation of the block that uses one of the values, itself or nested.
static Operation *firstUserIn(Block &block, ArrayRef<Value> values) {
  Operation *first = nullptr;
  for (Value value : values) {
    for (Operation *user : value.getUsers()) {
      Operation *around = block.findAncestorOpInBlock(*user);
      first = !around || (first && first->isBeforeInBlock(around)) ? first : around;
    }
  }
  return first;
}

namespace {
/// The loop and where it will wait.
struct Schedule {
  scf::ForOp loop;
  ChainedDots found;
  Operation *firstUse; ///< of a product or of the sums of the iteration before: all complete before it

  static std::optional<Schedule> of(scf::ForOp loop) {
    std::optional<ChainedDots> found = chainedDotsOf(loop);
    if (!found) {
      return std::nullopt;
    }
    SmallVector<Value> results;
    for (GroupMmaOp product : found->scores) {
      results.push_back(product.getResult());
    }
    for (ChainedDots::Sum &sum : found->sums) {
      results.push_back(loop.getRegionIterArg(sum.argument));
    }
    Operation *firstUse = firstUserIn(*loop.getBody(), results);
    return firstUse && found->scores.back()->isBeforeInBlock(firstUse)
               ? std::optional<Schedule>({loop, std::move(*found), firstUse})
               : std::nullopt;
  }

  bool isLegal() {
    return llvm::all_of(found.scores, [&](GroupMmaOp product) { return scoreMayLast(product); }) &&
           llvm::all_of(found.sums, [&](ChainedDots::Sum sum) { return sumMayLast(sum); });
  }

private:
  /// Whether a predicate holds for all writes in the loop to the buffers that `op` reads. It gets the buffer, the write
  /// and the operation of the loop's body around it.
  template <typename Predicate> bool allWrites(GroupMmaOp op, Predicate &&holds) {
    return llvm::all_of(buffersOf(op), [&](Value buffer) {
      LocalAllocOp alloc = allocationOf(buffer);
      return alloc && !loop->isProperAncestor(alloc) &&
             llvm::all_of(accessesOf(alloc), [&](const BufferAccess &access) {
               Operation *around = loop.getBody()->findAncestorOpInBlock(*access.op);
               return !access.isWrite || !around || holds(buffer, access.op, around);
             });
    });
  }

  /// Until `firstUse`.
  bool scoreMayLast(GroupMmaOp product) {
    return allWrites(product, [&](Value buffer, Operation *write, Operation *around) {
      return around->isBeforeInBlock(product) || !around->isBeforeInBlock(firstUse) ||
             leavesAlone(write, buffer, /*iterations=*/0);
    });
  }

  /// Until `firstUse` of the next iteration.
  bool sumMayLast(ChainedDots::Sum sum) {
    return firstUse->isBeforeInBlock(sum.op) &&
           allWrites(sum.op, [&](Value buffer, Operation *write, Operation *around) {
             if (around->isBeforeInBlock(firstUse)) {
               return leavesAlone(write, buffer, /*iterations=*/1);
             }
             return around->isBeforeInBlock(sum.op) || leavesAlone(write, buffer, /*iterations=*/0);
           });
  }

  /// Whether the write is a copy into another slot than the one that was read `iterations` before.
  bool leavesAlone(Operation *write, Value buffer, int64_t iterations) {
    return write->getBlock() == loop.getBody() && (iterations == 0 || advancesByOne(buffer)) &&
           copiesIntoAnotherSlot(write, buffer, iterations);
  }

  /// Whether the next iteration reads the next slot.
  bool advancesByOne(Value buffer) {
    auto slot = buffer.getDefiningOp<LocalSlotOp>();
    auto index = slot ? dyn_cast<BlockArgument>(slot.getIndex()) : BlockArgument();
    return index && index.getOwner() == loop.getBody() && index != loop.getInductionVar() &&
           slotsBetween(index, loop.getTiedLoopYieldedValue(index)->get(), slot.getSrc().getType().getSlots()) == 1;
  }
};

/// Rewrites one loop.
class OverlapSums {
public:
  OverlapSums(Schedule schedule, RewriterBase &rewriter)
      : schedule(std::move(schedule)), rewriter(rewriter), slots(this->schedule.loop, rewriter) {}

  /// Returns the loop that takes the place of the given one.
  scf::ForOp run() {
    for (ChainedDots::Sum &sum : schedule.found.sums) {
      slots.carry(buffersOf(sum.op));
    }
    for (GroupMmaOp product : schedule.found.scores) {
      product.setAsync(true);
      wait(product.getResult(), buffersOf(product), schedule.firstUse);
    }
    for (ChainedDots::Sum &sum : schedule.found.sums) {
      sum.op.setAsync(true);
      rewriter.setInsertionPoint(schedule.firstUse);
      SmallVector<Value> read = slots.before(buffersOf(sum.op), sum.op.getLoc());
      wait(schedule.loop.getRegionIterArg(sum.argument), read, schedule.firstUse);
      waitAfterLoop(sum);
    }
    return schedule.loop;
  }

private:
  void waitAfterLoop(ChainedDots::Sum sum) {
    auto rings = llvm::map_to_vector(buffersOf(sum.op), [](Value buffer) -> Value { return allocationOf(buffer); });
    wait(schedule.loop.getResult(sum.argument), rings, schedule.loop->getNextNode());
  }

  /// For all in flight.
  void wait(Value value, ArrayRef<Value> read, Operation *before) {
    rewriter.setInsertionPoint(before);
    auto done = GroupMmaWaitOp::create(rewriter, value.getLoc(), value.getType(), value, read, /*pending=*/0);
    rewriter.replaceAllUsesExcept(value, done.getResult(), done);
  }

  Schedule schedule;
  RewriterBase &rewriter;
  CarriedSlots slots;
};
} // namespace

void overlapSums(scf::ForOp &loop, RewriterBase &rewriter) {
  std::optional<Schedule> schedule = Schedule::of(loop);
  if (schedule && schedule->isLegal()) {
    loop = OverlapSums(std::move(*schedule), rewriter).run();
  }
}

} // namespace tilewright::tilegpu
