// start-from-zero: lets the first dot of a loop take its accumulator for zero. See Passes.td.
//
//     %r = scf.for %k iter_args(%a = %zero)          %r = scf.if (the loop has an iteration)
//       %b = group_mma async ..., %a           =       scf.for %k iter_args(%a = %poison)
//                                                        %b = group_mma async ..., %a if (%k is not the first)
//                                                    else
//                                                      %zero

#include "Iterations.h"

#include "tilewright/Dialect/TileGPU/IR/PartialSums.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_STARTFROMZERO
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

static bool isZero(Value value) { return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero()); }

namespace {
/// An accumulator that a loop of dots begins with zero.
struct Accumulator {
  unsigned index; ///< of what the loop carries
  GroupMmaOp dot;
  GroupMmaWaitOp wait; ///< directly behind the loop

  static std::optional<Accumulator> of(scf::ForOp loop, unsigned index);
};
} // namespace

/// None if something else reads what the loop carries.
std::optional<Accumulator> Accumulator::of(scf::ForOp loop, unsigned index) {
  BlockArgument carried = loop.getRegionIterArg(index);
  Value result = loop.getResult(index);
  if (!isZero(loop.getInitArgs()[index]) || !carried.hasOneUse() || !result.hasOneUse()) {
    return std::nullopt;
  }
  auto dot = dyn_cast<GroupMmaOp>(*carried.user_begin());
  auto wait = dyn_cast<GroupMmaWaitOp>(*result.user_begin());
  bool startsThere = dot && dot->getBlock() == loop.getBody() && dot.getAcc() == carried && dot.getAsync() &&
                     !dot.getContinues() && !partialK(dot);
  bool endsThere = wait && wait->getPrevNode() == loop;
  return startsThere && endsThere ? std::optional(Accumulator{index, dot, wait}) : std::nullopt;
}

/// Lets the dots take the accumulator for zero in the first iteration.
static void startFromZero(scf::ForOp loop, GroupMmaOp dot, OpOperand &init) {
  OpBuilder builder(dot);
  dot.getContinuesMutable().assign(isNotFirst(builder, dot.getLoc(), loop));
  builder.setInsertionPoint(loop);
  init.set(ub::PoisonOp::create(builder, dot.getLoc(), init.get().getType()));
}

/// Moves the loop and the waits into a branch. Without an iteration, the loop's results are `inits`. The zeros among
/// them pass through a wait, too: LLVM would assign them before the branch otherwise.
static void executeIfAny(scf::ForOp loop, SmallVector<Value> inits, ArrayRef<Accumulator> accumulators) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), hasAny(builder, loc, loop),
                                  /*withElseRegion=*/true);
  loop->replaceAllUsesWith(branch);
  loop->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
  SmallVector<Value> results(loop.getResults());
  for (Accumulator one : accumulators) {
    Value &result = results[one.index], &init = inits[one.index];
    one.wait.replaceAllUsesWith(branch.getResult(one.index));
    one.wait->moveAfter(&branch.thenBlock()->back());
    one.wait.getAccMutable().assign(result);
    result = one.wait;
    builder.setInsertionPointToEnd(branch.elseBlock());
    init = GroupMmaWaitOp::create(builder, loc, init.getType(), init, /*read=*/ValueRange(), /*pending=*/0);
  }
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, results);
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, inits);
}

static void visit(scf::ForOp loop) {
  SmallVector<Accumulator> accumulators;
  for (unsigned index = 0; index < loop.getNumResults(); ++index) {
    if (std::optional<Accumulator> found = Accumulator::of(loop, index)) {
      accumulators.push_back(*found);
    }
  }
  if (accumulators.empty()) {
    return;
  }
  SmallVector<Value> inits(loop.getInitArgs());
  for (const Accumulator &one : accumulators) {
    startFromZero(loop, one.dot, loop.getInitArgsMutable()[one.index]);
  }
  executeIfAny(loop, std::move(inits), accumulators);
}

namespace {
class StartFromZero : public tilegpu::impl::StartFromZeroBase<StartFromZero> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    llvm::for_each(loops, visit);
  }
};
} // namespace
