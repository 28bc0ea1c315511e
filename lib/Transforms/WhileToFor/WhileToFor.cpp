// while-to-for: counts the iterations of loops with dots before they begin. See Passes.td.
//
//     scf.while (%t = 0, %stop = false, %acc) {      %trips, %stopped = ...                  TripCount.h
//       condition %t < %n and not %stop              %sum = scf.for %t = 0 to %trips iter_args(%acc) {
//     } do {                                           %x = tile.load ...
//       %i = %low + %t * %step                         yield dot %x, ..., %acc
//       prefix                                  ->   }
//       if %i >= %limit { yield %acc, true }         %r = scf.if %stopped { prefix, yield %sum }
//       else { %x = tile.load ...                               else { yield %sum }
//         yield (dot %x, ..., %acc), false }
//     }
//
// The iteration that ends the loop early is executed after it, so that the others have no branch around their loads.
// Where nothing but arithmetic and stores is under such a branch, it remains in the loop, and the loop executes all
// iterations.

#include "TripCount.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilewright {
#define GEN_PASS_DEF_WHILETOFOR
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

struct Plan {
  TripCountPlan count;
  bool peels = false;   ///< whether the iteration that ends the loop early is executed after it
  DecidedBranches full; ///< the branches of the other iterations
  DecidedBranches last; ///< those of this one
};

bool hasDot(scf::WhileOp loop) {
  return loop.getAfter().walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Whether an executed operation of the region has the property, given the branches that are taken.
bool anyExecuted(Region &region, const DecidedBranches &decided, llvm::function_ref<bool(Operation *)> property) {
  for (Operation &op : region.getOps()) {
    if (property(&op)) {
      return true;
    }
    const auto *found = decided.find(&op);
    for (Region &inner : op.getRegions()) {
      bool isSkipped = found != decided.end() && inner.getRegionNumber() == (found->second ? 1 : 0);
      if (!isSkipped && anyExecuted(inner, decided, property)) {
        return true;
      }
    }
  }
  return false;
}

/// Whether loads or dots are under a branch that is decided in all iterations but the last.
bool hasBranchAroundLoads(const DecidedBranches &full) {
  return llvm::any_of(full, [&](const auto &decided) {
    auto branch = cast<scf::IfOp>(decided.first);
    return anyExecuted(decided.second ? branch.getThenRegion() : branch.getElseRegion(), full,
                       [](Operation *op) { return isa<tile::LoadOp, tile::DotOp>(op); });
  });
}

std::optional<Plan> planFor(scf::WhileOp loop, const LoopControl &control) {
  bool testIsPure = llvm::all_of(*loop.getBeforeBody(), [](Operation &op) { return isMemoryEffectFree(&op); });
  if (control.obstacle() || control.deciding().empty() || !testIsPure) {
    return std::nullopt;
  }
  Plan plan;
  if (control.stopFlag()) {
    std::optional<DecidedBranches> full = decideBranches(loop, control, /*stops=*/false),
                                   last = decideBranches(loop, control, /*stops=*/true);
    auto isLoop = [](Operation *op) { return isa<LoopLikeOpInterface>(op); };
    plan.peels = full && last && hasBranchAroundLoads(*full) && !anyExecuted(loop.getAfter(), *last, isLoop);
    plan.full = full.value_or(DecidedBranches());
    plan.last = last.value_or(DecidedBranches());
  }
  plan.count = planTripCount(loop, control, plan.full);
  if (std::optional<unsigned> counter = plan.count.counter; counter && !plan.peels) {
    // The last iteration of the loop may leave the counter as it is.
    bool alwaysCounts = loop.getYieldedValues()[*counter].getDefiningOp<arith::AddIOp>() != nullptr;
    plan.count.counter = alwaysCounts ? counter : std::nullopt;
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

class Rewrite {
public:
  Rewrite(scf::WhileOp loop, const LoopControl &control, const Plan &plan)
      : loop(loop), control(control), plan(plan), builder(loop), loc(loop.getLoc()) {}

  void run() {
    TripCount trips = emitTripCount(builder, loop, control, plan.count);
    emitLoop(trips);
    if (plan.peels) {
      emitLast(trips.stopped);
    }
    IRMapping copies;
    emitTest(builder, state, copies);
    for (auto [result, passed] : llvm::zip_equal(loop.getResults(), loop.getConditionOp().getArgs())) {
      result.replaceAllUsesWith(copies.lookupOrDefault(passed));
    }
    loop.erase();
  }

private:
  Value makeFalse() { return arith::ConstantIntOp::create(builder, loc, 0, 1); }

  bool isFlag(unsigned position) const { return position == control.stopFlag(); }
  bool isCounter(unsigned position) const { return position == plan.count.counter; }

  Value toCounter(Value count, Type type) {
    return count.getType() == type ? count : arith::TruncIOp::create(builder, loc, type, count).getResult();
  }

  /// Copies the loop's first region for the given values of its arguments.
  void emitTest(OpBuilder &at, ValueRange values, IRMapping &copies) {
    copies.map(loop.getBeforeArguments(), values);
    for (Operation &op : loop.getBeforeBody()->without_terminator()) {
      at.clone(op, copies);
    }
  }

  /// Copies an iteration; returns what it passes on.
  SmallVector<Value> emitIteration(ValueRange values, const DecidedBranches *decided) {
    IRMapping copies;
    emitTest(builder, values, copies);
    for (auto [argument, passed] : llvm::zip_equal(loop.getAfterArguments(), loop.getConditionOp().getArgs())) {
      copies.map(argument, copies.lookupOrDefault(passed));
    }
    for (Operation &op : loop.getAfterBody()->without_terminator()) {
      builder.clone(op, copies);
    }
    for (auto [op, holds] : decided ? *decided : DecidedBranches()) {
      auto branch = cast<scf::IfOp>(copies.lookup(op));
      OpBuilder at(branch);
      branch.getConditionMutable().assign(arith::ConstantIntOp::create(at, branch.getLoc(), holds, 1));
    }
    return llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) { return copies.lookupOrDefault(value); });
  }

  /// Emits the loop, and sets `state` to its values after it.
  void emitLoop(const TripCount &trips) {
    Type type = plan.count.type;
    auto constant = [&](int64_t value) { return arith::ConstantIntOp::create(builder, loc, type, value).getResult(); };
    Value count = trips.full;
    if (trips.stopped && !plan.peels) {
      count = arith::AddIOp::create(builder, loc, count, arith::ExtUIOp::create(builder, loc, type, trips.stopped));
    }
    // Range analysis knows the limit, but not how often a loop is executed that counts.
    Value end = trips.limit ? arith::MinSIOp::create(builder, loc, count, trips.limit).getResult() : count;
    SmallVector<Value> inits;
    for (auto [position, init] : llvm::enumerate(loop.getInits())) {
      if (!isFlag(position) && !isCounter(position)) {
        inits.push_back(init);
      }
    }
    auto made = scf::ForOp::create(builder, loc, constant(0), end, constant(1), inits);
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    fillBody(made);
    builder.setInsertionPointAfter(made);
    Value stopped = trips.stopped && !plan.peels ? trips.stopped : Value();
    setState(made.getResults(), count, stopped);
  }

  void fillBody(scf::ForOp made) {
    Block *body = made.getBody();
    if (!body->empty()) {
      body->getTerminator()->erase();
    }
    builder.setInsertionPointToEnd(body);
    setState(made.getRegionIterArgs(), made.getInductionVar(), {});
    SmallVector<Value> next = emitIteration(state, plan.peels ? &plan.full : nullptr), yielded;
    for (auto [position, value] : llvm::enumerate(next)) {
      if (!isFlag(position) && !isCounter(position)) {
        yielded.push_back(value);
      }
    }
    scf::YieldOp::create(builder, loc, yielded);
  }

  /// Sets `state` to the loop-carried values by position, and for the flag and the counter to what is not carried.
  void setState(ValueRange carried, Value count, Value stopped) {
    state.clear();
    for (unsigned position = 0; position < loop.getInits().size(); ++position) {
      if (isFlag(position)) {
        state.push_back(stopped ? stopped : makeFalse());
      } else if (isCounter(position)) {
        state.push_back(toCounter(count, loop.getBeforeArguments()[position].getType()));
      } else {
        state.push_back(carried.front());
        carried = carried.drop_front();
      }
    }
  }

  /// Emits the iteration that ends the loop early, if there is one.
  void emitLast(Value stopped) {
    auto branch = scf::IfOp::create(builder, loc, ValueRange(state).getTypes(), stopped, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, state);
    builder.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> next = emitIteration(state, &plan.last);
    scf::YieldOp::create(builder, loc, next);
    builder.setInsertionPointAfter(branch);
    for (auto [position, result] : llvm::enumerate(branch.getResults())) {
      state[position] = isFlag(position) ? stopped : result;
    }
  }

  scf::WhileOp loop;
  const LoopControl &control;
  const Plan &plan;
  OpBuilder builder;
  Location loc;
  SmallVector<Value> state; ///< the values of the first region's arguments
};

struct WhileToFor : impl::WhileToForBase<WhileToFor> {
  void runOnOperation() override {
    SmallVector<scf::WhileOp> loops; // inner ones first
    getOperation()->walk([&](scf::WhileOp loop) {
      if (hasDot(loop)) {
        loops.push_back(loop);
      }
    });
    for (scf::WhileOp loop : loops) {
      LoopControl control(loop);
      if (std::optional<Plan> plan = planFor(loop, control)) {
        Rewrite(loop, control, *plan).run();
      }
    }
  }
};

} // namespace
} // namespace tilewright
