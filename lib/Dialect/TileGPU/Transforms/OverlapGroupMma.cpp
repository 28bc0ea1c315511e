// overlap-group-mma: keeps group_mma in flight across iterations. See Passes.td.
//
// With copies into a ring of three slots, two iterations ahead:
//
//     iteration i:   wait for copy i, barrier
//                    start group_mma i                    reads slot i mod 3
//                    wait for group_mma i - 1, barrier    all have read slot (i - 1) mod 3
//                    copy i + 2                           into that slot
//
// OverlapSums.h does that for the loops of attention, OverlapReads.h for operands in registers.

#include "Buffers.h"
#include "CarriedSlots.h"
#include "GroupMmaChains.h"
#include "OverlapReads.h"
#include "OverlapSums.h"
#include "RingPositions.h"
#include "tilewright/Dialect/Tile/Transforms/Decisions.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

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
  return write->getBlock() == last->getBlock() && last->isBeforeInBlock(write) && copiesIntoAnotherSlot(write, buffer);
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

/// The last copy of boxes to the buffers that directly follows the loop, as `pipeline-outer-loops` places it; the loop
/// if there is none. Such copies wait for the release of their slots, so that they need not wait for dots.
static Operation *lastCopyAfter(scf::ForOp loop, ArrayRef<Value> buffers) {
  Operation *last = loop;
  for (Operation *op = loop->getNextNode(); op && op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>();
       op = op->getNextNode()) {
    auto copy = dyn_cast<BoxCopyOp>(op);
    if (copy && llvm::is_contained(buffers, allocationOf(copy.getBuffer()).getResult())) {
      last = op;
    } else if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) || isa<GroupMmaWaitOp>(op)) {
      break;
    }
  }
  return last;
}

namespace {
/// Rewrites one loop.
class Overlap {
public:
  Overlap(scf::ForOp loop, IRRewriter &rewriter) : loop(loop), rewriter(rewriter), slots(this->loop, rewriter) {}

  /// Returns the loop that takes the place of the given one.
  scf::ForOp run(ArrayRef<GroupMmaChain> chains) {
    int32_t count = 0;
    for (const GroupMmaChain &chain : chains) {
      count += static_cast<int32_t>(chain.ops.size());
      slots.carry(chain.buffers());
    }
    Operation *last = lastOf(chains);
    for (const GroupMmaChain &chain : chains) {
      waitInLoop(chain, last, count);
      waitAfterLoop(chain);
    }
    return loop;
  }

private:
  void waitInLoop(const GroupMmaChain &chain, Operation *last, int32_t pending) {
    for (GroupMmaOp op : chain.ops) {
      op.setAsync(true);
    }
    GroupMmaOp end = chain.ops.back();
    rewriter.setInsertionPointAfter(last);
    auto wait = GroupMmaWaitOp::create(rewriter, end.getLoc(), end.getType(), end.getResult(),
                                       slots.before(chain.buffers(), end.getLoc()), pending);
    rewriter.replaceAllUsesExcept(end.getResult(), wait.getResult(), wait);
  }

  void waitAfterLoop(const GroupMmaChain &chain) {
    Value result = loop.getResult(chain.argument);
    llvm::SetVector<Value> rings;
    for (Value buffer : chain.buffers()) {
      rings.insert(allocationOf(buffer).getResult());
    }
    rewriter.setInsertionPointAfter(lastCopyAfter(loop, rings.getArrayRef()));
    auto wait =
        GroupMmaWaitOp::create(rewriter, loop.getLoc(), result.getType(), result, rings.takeVector(), /*pending=*/0);
    rewriter.replaceAllUsesExcept(result, wait.getResult(), wait);
  }

  scf::ForOp loop;
  IRRewriter &rewriter;
  CarriedSlots slots;
};

class OverlapGroupMma : public tilegpu::impl::OverlapGroupMmaBase<OverlapGroupMma> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      SmallVector<GroupMmaChain> chains = chainsOf(loop);
      if (chains.empty()) {
        overlapReads(loop, rewriter);
        overlapSums(loop, rewriter);
      } else if (buffersLast(loop, chains)) {
        loop = Overlap(loop, rewriter).run(chains);
      }
      stateWaits(loop);
    }
  }

  /// States why group_mma of the loop itself are not in flight.
  static void stateWaits(scf::ForOp loop) {
    if (collectsDecisions(loop)) {
      loop->walk([&](GroupMmaOp op) {
        if (!op.getAsync() && loopAround(op) == loop) {
          stateRejected(op, "dot in flight across iterations", whyNotInFlight(op, loop));
        }
      });
    }
  }
};
} // namespace
