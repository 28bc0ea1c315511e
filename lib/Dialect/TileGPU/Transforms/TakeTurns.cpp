// take-turns: lets two warp groups start their matrix instructions alternately. See Passes.td.
//
//     iteration i:   start the product of Q and K i
//                    pass the turn                     the other group starts sum i - 1 and product i
//                    softmax                           while its matrix instructions run
//                    take the turn
//                    start sum i

#include "Buffers.h"
#include "NamedBarriers.h"
#include "Turn.h"

#include "tilewright/Dialect/Tile/Transforms/Decisions.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Hardware/Gpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_TAKETURNS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

static constexpr int kGroups = 2;

/// With two slots, a group that starts a copy waits for the other one to have read the slot in the same iteration. A
/// producer waits in its place.
static int64_t minSlots(scf::ForOp loop) { return loop->getParentOfType<SpecializeWarpsOp>() ? 2 : 3; }

/// Whether one program at a time is all that a multiprocessor has shared memory for. The groups of several programs are
/// out of step by themselves.
static bool isAlone(ModuleOp module) {
  auto bytes = module->getAttrOfType<IntegerAttr>(TileGPUDialect::kSharedBytesAttr);
  return bytes && 2 * bytes.getInt() > targetOf(module).sharedPerBlock;
}

/// Whether groups wait for each other in no other way than for slots, of which there are enough.
static bool hasOnlyRings(scf::ForOp loop) {
  bool hasRing = false;
  WalkResult result = loop->walk([&](Operation *op) {
    if (isa<BarrierOp, tile::BarrierOp, LoopLikeOpInterface>(op) && op != loop) {
      return WalkResult::interrupt();
    }
    if (auto wait = dyn_cast<RingWaitOp>(op)) {
      hasRing = true;
      LocalAllocOp ring = allocationOf(wait.getSlot());
      return ring && ring.getType().getSlots() >= minSlots(loop) ? WalkResult::advance() : WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return hasRing && !result.wasInterrupted();
}

/// Whether all warps meet before any of them can come to another loop: the first group may pass its last turn long
/// before the second takes it, and must not pass another one then.
static bool meetsAfter(scf::ForOp loop) {
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
    if (isa<BarrierOp>(op)) {
      return true;
    }
    if (op->getNumRegions() != 0 && !isa<tile::ReduceOp>(op)) {
      return false;
    }
  }
  return false;
}

/// The second group takes one turn more, before its first product, which the first group passes to it after the loop.
static void takeTurns(scf::ForOp loop, Turn turn) {
  OpBuilder builder(loop);
  Location loc = turn.sum.getLoc();
  TakeTurnOp::create(builder, loc, /*after=*/Value(), builder.getI32IntegerAttr(kGroups - 1));
  builder.setInsertionPointAfter(turn.lastScoreDot);
  PassTurnOp::create(builder, loc, IntegerAttr());
  builder.setInsertionPoint(turn.sum);
  TakeTurnOp::create(builder, loc, turn.sum.getA(), IntegerAttr());
  builder.setInsertionPointAfter(loop);
  PassTurnOp::create(builder, loc, builder.getI32IntegerAttr(0));
}

/// Why groups do not take turns in a loop in which they could; empty if they do.
static StringRef whyNot(scf::ForOp loop, ModuleOp module) {
  if (!isAlone(module)) {
    return "a multiprocessor has shared memory for several programs, whose groups are out of step by themselves";
  }
  if (mayUseNamedBarriers(module)) {
    return "assembly in the kernel may use the same barriers";
  }
  if (!hasOnlyRings(loop)) {
    return "the loop has barriers or other loops, or its copies have too few slots or are no boxes";
  }
  return meetsAfter(loop) ? "" : "the threads do not meet after the loop";
}

namespace {
class TakeTurns : public tilegpu::impl::TakeTurnsBase<TakeTurns> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (numWarps(module) != kGroups * hardware::GroupMmaInstruction::kWarps) {
      return;
    }
    module->walk([&](scf::ForOp loop) {
      std::optional<Turn> turn = Turn::of(loop);
      if (!turn) {
        return;
      }
      if (StringRef reason = whyNot(loop, module); !reason.empty()) {
        stateRejected(turn->sum, "turns of two warp groups", reason);
      } else {
        takeTurns(loop, *turn);
      }
    });
  }
};
} // namespace
