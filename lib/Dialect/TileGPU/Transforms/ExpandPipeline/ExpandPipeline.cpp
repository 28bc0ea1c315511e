// expand-pipeline: starts the loads of a loop iterations ahead of the rest. See Passes.td.
//
//     with 3 stages:      copy(0) copy(1)            prologue, masked by the existence of the iteration
//                         scf.for i
//                           async_wait 1             copy(i) has completed
//                           copy(i + 2)              into the slot that iteration i - 1 read
//                           local_load(i), mma ...
//                         async_wait 0
//
//     and if the first dot's operands are loaded an iteration ahead:
//                         copy(0) copy(1) async_wait 1 first = local_load(0) copy(2)
//                         scf.for i
//                           mma(first), remaining local_load(i)
//                           async_wait 1             copy(i + 1) has completed
//                           first = local_load(i + 1)
//                           copy(i + 3)              into the slot that this iteration read
//                           last mma                 overlaps with the barrier and the loads of first
//                         async_wait 0
//
// The pass first rewrites the loop with asynchronous copies, and separate slot indices for copying and reading. Then
// upstream's loop pipeliner moves the copies to earlier iterations.

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
// Pipelining
//===----------------------------------------------------------------------===//

/// Masks a copy if its iteration does not exist. Other operations may be executed speculatively; divisions are guarded.
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

/// In the prologue, slots of several iterations are in the same block, which breaks the meaning of `iteration`; their
/// indices are constants there.
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
  AsyncWaitOp::create(rewriter, loc, 0U); // masked copies write zeros
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
    for (auto [loop, stages] : loops) { // in post-order: inner loops first
      if (failed(expand(loop, stages))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace
