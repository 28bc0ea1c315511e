// overlap-group-mma: keeps group_mma in flight across iterations. See Passes.td.
//
// With copies into a ring of three slots, two iterations ahead:
//
//     iteration i:   wait for copy i, barrier
//                    start group_mma i                    reads slot i mod 3
//                    wait for group_mma i - 1, barrier    all have read slot (i - 1) mod 3
//                    copy i + 2                           into that slot

#include "Buffers.h"
#include "GroupMmaChains.h"
#include "RingPositions.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_OVERLAPGROUPMMA
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

//===----------------------------------------------------------------------===//
// Whether the buffers last
//===----------------------------------------------------------------------===//

static GroupMmaOp lastOf(ArrayRef<GroupMmaChain> chains) {
  GroupMmaOp last = chains.front().ops.back();
  for (const GroupMmaChain &chain : chains) {
    GroupMmaOp end = chain.ops.back();
    last = last->isBeforeInBlock(end) ? end : last;
  }
  return last;
}

/// Whether a write in the loop leaves the buffer alone that a group_mma of the same iteration reads, and comes after
/// the wait for those of the iteration before, which follows the last one.
static bool leavesAlone(Operation *write, Value buffer, GroupMmaOp last) {
  auto copy = dyn_cast<AsyncCopyOp>(write);
  auto to = copy ? copy.getBuffer().getDefiningOp<LocalSlotOp>() : LocalSlotOp();
  auto from = buffer.getDefiningOp<LocalSlotOp>();
  if (!to || !from || to.getSrc() != from.getSrc() || write->getBlock() != last->getBlock() ||
      !last->isBeforeInBlock(write)) {
    return false;
  }
  std::optional<int64_t> distance = slotsBetween(from.getIndex(), to.getIndex(), from.getSrc().getType().getSlots());
  return distance && *distance != 0;
}

static bool buffersLast(scf::ForOp loop, ArrayRef<GroupMmaChain> chains) {
  GroupMmaOp last = lastOf(chains);
  return llvm::all_of(chains, [&](const GroupMmaChain &chain) {
    return llvm::all_of(chain.buffers(), [&](Value buffer) {
      LocalAllocOp alloc = allocationOf(buffer);
      return alloc && !loop->isProperAncestor(alloc) &&
             llvm::all_of(accessesOf(alloc), [&](const BufferAccess &access) {
               return !access.isWrite || !loop->isProperAncestor(access.op) || leavesAlone(access.op, buffer, last);
             });
    });
  });
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// The index of the slot, if the loop carries it from slot 0 on.
static std::optional<unsigned> carriedIndex(LocalSlotOp slot, scf::ForOp loop) {
  auto argument = slot ? dyn_cast<BlockArgument>(slot.getIndex()) : BlockArgument();
  if (!argument || argument.getOwner() != loop.getBody() || argument == loop.getInductionVar()) {
    return std::nullopt;
  }
  unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
  return getConstantIntValue(loop.getInitArgs()[number]) == 0 ? std::optional(number) : std::nullopt;
}

namespace {
/// Rewrites one loop.
class Overlap {
public:
  Overlap(scf::ForOp loop, IRRewriter &rewriter) : loop(loop), rewriter(rewriter) {}

  void run(ArrayRef<GroupMmaChain> chains) {
    int32_t count = 0;
    for (const GroupMmaChain &chain : chains) {
      count += static_cast<int32_t>(chain.ops.size());
      carryIndices(chain);
    }
    Operation *last = lastOf(chains);
    for (const GroupMmaChain &chain : chains) {
      waitInLoop(chain, last, count);
      waitAfterLoop(chain);
    }
  }

private:
  /// Makes the loop carry the slots that the iteration before has read. There is none before the first one: it waits
  /// for nothing, and its value is the slot before slot 0.
  void carryIndices(const GroupMmaChain &chain) {
    for (Value buffer : chain.buffers()) {
      auto slot = buffer.getDefiningOp<LocalSlotOp>();
      std::optional<unsigned> number = carriedIndex(slot, loop);
      if (!number || before.contains(*number)) {
        continue;
      }
      rewriter.setInsertionPoint(loop);
      int64_t slots = slot.getSrc().getType().getSlots();
      Value init = arith::ConstantIntOp::create(rewriter, loop.getLoc(), slots - 1, 32);
      Value index = slot.getIndex();
      FailureOr<LoopLikeOpInterface> extended = loop.replaceWithAdditionalYields(
          rewriter, init, /*replaceInitOperandUsesInLoop=*/false,
          [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return SmallVector<Value>{index}; });
      loop = cast<scf::ForOp>(extended->getOperation());
      before[*number] = loop.getRegionIterArgs().back();
    }
  }

  /// The slots that the iteration before has read, or all slots of a buffer of which that is not known.
  SmallVector<Value> slotsBefore(const GroupMmaChain &chain, Location loc) {
    llvm::SetVector<Value> slots;
    for (Value buffer : chain.buffers()) {
      auto slot = buffer.getDefiningOp<LocalSlotOp>();
      std::optional<unsigned> number = carriedIndex(slot, loop);
      slots.insert(number ? LocalSlotOp::create(rewriter, loc, slot.getType(), slot.getSrc(), before.at(*number),
                                                /*phase=*/Value())
                                .getResult()
                          : allocationOf(buffer).getResult());
    }
    return slots.takeVector();
  }

  void waitInLoop(const GroupMmaChain &chain, Operation *last, int32_t pending) {
    for (GroupMmaOp op : chain.ops) {
      op.setAsync(true);
    }
    GroupMmaOp end = chain.ops.back();
    rewriter.setInsertionPointAfter(last);
    auto wait = GroupMmaWaitOp::create(rewriter, end.getLoc(), end.getType(), end.getResult(),
                                       slotsBefore(chain, end.getLoc()), pending);
    rewriter.replaceAllUsesExcept(end.getResult(), wait.getResult(), wait);
  }

  void waitAfterLoop(const GroupMmaChain &chain) {
    Value result = loop.getResult(chain.argument);
    llvm::SetVector<Value> rings;
    for (Value buffer : chain.buffers()) {
      rings.insert(allocationOf(buffer).getResult());
    }
    rewriter.setInsertionPointAfter(loop);
    auto wait =
        GroupMmaWaitOp::create(rewriter, loop.getLoc(), result.getType(), result, rings.takeVector(), /*pending=*/0);
    rewriter.replaceAllUsesExcept(result, wait.getResult(), wait);
  }

  scf::ForOp loop;
  IRRewriter &rewriter;
  llvm::DenseMap<unsigned, Value> before; ///< by the number of the current index
};

class OverlapGroupMma : public tilegpu::impl::OverlapGroupMmaBase<OverlapGroupMma> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      SmallVector<GroupMmaChain> chains = chainsOf(loop);
      if (!chains.empty() && buffersLast(loop, chains)) {
        Overlap(loop, rewriter).run(chains);
      }
    }
  }
};
} // namespace
