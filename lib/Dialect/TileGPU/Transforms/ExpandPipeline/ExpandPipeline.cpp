// expand-pipeline: loops whose loads run iterations ahead of the rest. See Passes.td.
//
//     with 3 stages:      copy(0) copy(1)            prologue, copies of iterations that there are
//                         scf.for i
//                           async_wait 1             iteration i is there
//                           copy(i + 2)              into the slot that iteration i - 1 has read
//                           local_load(i), mma ...
//                         async_wait 0
//
//     and where the first product's operands are read an iteration ahead:
//                         copy(0) copy(1) async_wait 1 first = local_load(0) copy(2)
//                         scf.for i
//                           mma(first), the other local_load(i)
//                           async_wait 1             iteration i + 1 is there
//                           first = local_load(i + 1)
//                           copy(i + 3)              into the slot that this iteration has read
//                           the last mma             while threads wait for each other, and for first
//                         async_wait 0
//
// First the loop is written anew with asynchronous copies and slots that are numbered apart for copying and
// reading; then upstream's pipeliner lets the copies go ahead.

#include "LoopWithCopies.h"
#include "Speculation.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_EXPANDPIPELINE
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

//===----------------------------------------------------------------------===//
// Going ahead
//===----------------------------------------------------------------------===//

/// Lets a copy happen only where its iteration exists. All else that goes ahead may happen for nothing, if it is
/// guarded.
static Operation *predicate(RewriterBase &rewriter, Operation *op, Value exists) {
  auto copy = dyn_cast<AsyncCopyOp>(op);
  if (!copy) {
    guardDivision(rewriter, op, exists);
    return op;
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto pointers = cast<RankedTensorType>(copy.getPtr().getType());
  auto type = RankedTensorType::get(pointers.getShape(), rewriter.getI1Type(), pointers.getEncoding());
  Value mask = tile::SplatOp::create(rewriter, op->getLoc(), type, exists);
  if (Value own = copy.getMask()) {
    own = own.getType() == type ? own : tile::SplatOp::create(rewriter, op->getLoc(), type, own).getResult();
    mask = arith::AndIOp::create(rewriter, op->getLoc(), own, mask);
  }
  copy.getMaskMutable().assign(mask);
  return op;
}

/// Before the loop the first iterations stand side by side, and the slots' numbers are constants.
static void forgetIterations(scf::ForOp loop) {
  for (Operation &op : *loop->getBlock()) {
    if (auto slot = dyn_cast<LocalSlotOp>(op)) {
      slot.removeIterationAttr();
    }
  }
}

static LogicalResult expand(scf::ForOp loop, int slots) {
  LoopWithCopies rewritten(loop, slots);
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, Schedule &schedule) { schedule = rewritten.schedule(); };
  options.supportDynamicLoops = true;
  options.peelEpilogue = false;
  options.predicateFn = predicate;
  IRRewriter rewriter(loop.getContext());
  Location loc = loop.getLoc();
  scf::ForOp withCopies = rewritten.build();
  rewriter.setInsertionPoint(withCopies);
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(rewriter, withCopies, options);
  if (failed(pipelined)) {
    return emitError(loc) << "this loop cannot be pipelined; num_stages=1 leaves it as it is";
  }
  forgetIterations(*pipelined);
  rewriter.setInsertionPointAfter(*pipelined);
  AsyncWaitOp::create(rewriter, loc, 0U); // copies fill with zeros where iterations do not exist
  return success();
}

namespace {
class ExpandPipeline : public tilegpu::impl::ExpandPipelineBase<ExpandPipeline> {
  void runOnOperation() override {
    SmallVector<std::pair<scf::ForOp, int>> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (auto stages = loop->getAttrOfType<IntegerAttr>(TileGPUDialect::kNumStagesAttr)) {
        loops.emplace_back(loop, static_cast<int>(stages.getInt()));
      }
    });
    for (auto [loop, stages] : loops) { // inner loops come first
      if (failed(expand(loop, stages))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace
