// expand-pipeline: executes the operations of a loop as their schedule says. See Passes.td.
//
//     with 3 stages:      t0 = copy(0), t1 = copy(1)        prologue, masked by the existence of the iteration
//                         scf.for i, iter_args(t0, t1)
//                           done = async_wait t0            copy(i) has completed
//                           t2 = copy(i + 2)                into the slot that iteration i - 1 read
//                           local_load(i) after done, mma ...
//                           yield t1, t2
//                         async_wait t0, t1
//
//     and if the first dot's operands are loaded an iteration ahead:
//                         copy(0), copy(1), async_wait, first = local_load(0), copy(2)
//                         scf.for i
//                           mma(first), remaining local_load(i)
//                           async_wait                      copy(i + 1) has completed
//                           first = local_load(i + 1)
//                           copy(i + 3)                     into the slot that this iteration read
//                           last mma                        overlaps with the barrier and the loads of first
//                         async_wait
//
// On a target without asynchronous copies, with stages 0 and 1:
//
//                         store(load(0))                  masked by the existence of the iteration
//                         scf.for i
//                           x = load(i + 1)
//                           local_load(i), mma ...
//                           store(x)
//
// The pass first rewrites the loop with asynchronous copies, and separate slot indices for copying and reading. Then
// upstream's loop pipeliner executes each stage in its iteration, in the order of the clusters; it carries the tokens
// of copies from the iteration that starts them to the one that waits for them.

#include "../TokenCopies.h"
#include "IterationPredicates.h"
#include "LoopWithCopies.h"
#include "Speculation.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
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

/// The tokens of the copies in flight when the loop ends.
static SmallVector<Value> tokensInFlight(scf::ForOp loop) {
  TokenCopies copies;
  SmallVector<Value> tokens;
  llvm::copy_if(loop.getResults(), std::back_inserter(tokens),
                [&](Value result) { return isa<TokenType>(result.getType()) && !copies.find(result).empty(); });
  return tokens;
}

static bool isInStage(Operation *op, int64_t stage, scf::ForOp loop) {
  return op && op->getBlock() == loop.getBody() && positionOf(op).stage == stage;
}

/// Stage 0 consists of loads that become copies, stores of their results, loads for their addresses, and what is
/// computed for iterations that do not exist.
static LogicalResult checkFirstStage(Operation *op, scf::ForOp loop) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    auto stored = [&](Operation *user) { return isa<LocalStoreOp>(user) && isInStage(user, 0, loop); };
    bool isOneKind = targetOf(op).copiesThroughRegisters() || llvm::all_of(load->getUsers(), stored) ||
                     llvm::none_of(load->getUsers(), stored);
    return isOneKind ? success() : op->emitOpError("of stage 0 must only be stored to buffers, or not at all");
  }
  if (auto store = dyn_cast<LocalStoreOp>(op)) {
    auto load = store.getSrc().getDefiningOp<tile::LoadOp>();
    return isInStage(load, 0, loop) ? success() : op->emitOpError("of stage 0 must store the result of a load");
  }
  return isMemoryEffectFree(op) && op->getNumRegions() == 0
             ? success()
             : op->emitOpError("cannot be executed for iterations that do not exist, as it is in stage 0");
}

/// Other stages than the last compute nothing but from copied data.
static LogicalResult checkMiddleStage(Operation *op, scf::ForOp loop) {
  for (Value operand : op->getOperands()) {
    bool isOutside = operand.getParentBlock() != loop.getBody();
    Operation *source = operand.getDefiningOp();
    bool isOfStage = source && !isOutside && isInStage(source, positionOf(op).stage, loop);
    if (!isOutside && !isOfStage && !isa<BufferType>(operand.getType()) && operand != loop.getInductionVar()) {
      return op->emitOpError("may only use copied data and values of its own stage");
    }
  }
  return success();
}

static LogicalResult checkSchedule(scf::ForOp loop) {
  int64_t last = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    last = std::max(last, positionOf(&op).stage);
  }
  bool hasCopies = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    int64_t stage = positionOf(&op).stage;
    hasCopies |= stage == 0 && isa<tile::LoadOp>(op);
    if ((stage == 0 && failed(checkFirstStage(&op, loop))) ||
        (stage != 0 && stage != last && failed(checkMiddleStage(&op, loop)))) {
      return failure();
    }
  }
  return hasCopies && last > 0 ? success() : loop.emitOpError("needs loads in stage 0, and a later stage");
}

/// If the loop is in another one that is to be pipelined, everything that replaces it is executed where it was.
static void keepSchedule(Block &around, Attribute schedule) {
  for (Operation &op : around.without_terminator()) {
    if (schedule && !findPosition(&op)) {
      op.setAttr(TileGPUDialect::kScheduleAttr, schedule);
    }
  }
}

static LogicalResult expand(scf::ForOp loop) {
  Attribute schedule = loop->getAttr(TileGPUDialect::kScheduleAttr);
  LoopWithCopies rewritten(loop);
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, Schedule &schedule) { schedule = rewritten.schedule(); };
  options.supportDynamicLoops = true;
  options.peelEpilogue = false;
  IRRewriter rewriter(loop.getContext());
  Location loc = loop.getLoc();
  bool specializes = loop->hasAttr(TileGPUDialect::kWarpSpecializeAttr);
  scf::ForOp withCopies = rewritten.build();
  IterationPredicates predicates(withCopies);
  options.predicateFn = [&](RewriterBase &rewriter, Operation *op, Value predicate) {
    Value exists = predicates.replace(rewriter, predicate);
    return exists ? executeIf(rewriter, op, exists) : nullptr;
  };
  rewriter.setInsertionPoint(withCopies);
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(rewriter, withCopies, options);
  if (failed(pipelined)) {
    return emitError(loc) << "this loop cannot be pipelined; num_stages=1 leaves it as it is";
  }
  scf::ForOp expanded = *pipelined; // NOLINT(bugprone-unchecked-optional-access): failed() has checked it
  if (specializes) {                // a request to specialize-warps, which upstream's function does not keep
    expanded->setAttr(TileGPUDialect::kWarpSpecializeAttr, rewriter.getUnitAttr());
  }
  rewriter.setInsertionPointAfter(expanded);
  if (Value ring = rewritten.getRing()) {
    RingEndOp::create(rewriter, loc, ring);
  } else if (!targetOf(expanded).copiesThroughRegisters()) {
    AsyncWaitOp::create(rewriter, loc, TokenType::get(loc.getContext()), tokensInFlight(expanded),
                        IntegerAttr()); // masked copies write zeros
  }
  keepSchedule(*expanded->getBlock(), schedule);
  return success();
}

namespace {
class ExpandPipeline : public tilegpu::impl::ExpandPipelineBase<ExpandPipeline> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (findPosition(&loop.getBody()->front())) {
        loops.push_back(loop);
      }
    });
    for (scf::ForOp loop : loops) { // in post-order: inner loops first
      if (failed(checkSchedule(loop)) || failed(expand(loop))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace
