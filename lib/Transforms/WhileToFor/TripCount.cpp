#include "TripCount.h"

#include "ClosedForm.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright {

using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Takes the comparison of a counter with a bound, if the condition is one.
static bool addBound(TripCountPlan &plan, Value condition, ExitFormulas &formulas, const LoopControl &control) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  bool isSigned = compare && compare.getPredicate() == Predicate::slt;
  bool isUnsigned = compare && compare.getPredicate() == Predicate::ult && compare.getLhs().getType().isInteger(32);
  if (plan.bound || !(isSigned || isUnsigned) || !formulas.countsIterations(compare.getLhs()) ||
      !formulas.isInvariant(compare.getRhs())) {
    return false;
  }
  plan.counter = cast<BlockArgument>(control.throughCondition(compare.getLhs())).getArgNumber();
  plan.bound = compare.getRhs();
  plan.isUnsigned = isUnsigned;
  return true;
}

TripCountPlan planTripCount(scf::WhileOp loop, const LoopControl &control, const DecidedBranches &decided) {
  ExitFormulas formulas(loop, control, decided);
  TripCountPlan plan;
  plan.ends = ExitFormula();
  plan.stops = control.stopFlag() ? formulas.firstWhere(control.nextStopFlag(), true) : std::optional(ExitFormula());
  for (Value condition : control.conditions()) {
    if (!addBound(plan, condition, formulas, control)) {
      plan.ends = earliest(std::move(plan.ends), formulas.firstWhere(condition, false));
    }
  }
  bool fits = plan.bound && !plan.isUnsigned && plan.bound.getType().isInteger(32);
  plan.type = IntegerType::get(loop.getContext(), fits ? 32 : 64);
  return plan;
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

/// A loop of scalars that counts the iterations: [full, stopped]
static SmallVector<Value> emitCountingLoop(ImplicitLocOpBuilder &b, scf::WhileOp loop, const LoopControl &control,
                                           Type type) {
  auto constant = [&](OpBuilder &at, int64_t value) {
    return arith::ConstantIntOp::create(at, b.getLoc(), type, value).getResult();
  };
  SmallVector<Value> inits = {constant(b, 0)};
  for (unsigned position : control.deciding()) {
    inits.push_back(loop.getInits()[position]);
  }
  auto sliceOf = [&](OpBuilder &at, ValueRange arguments) {
    ControlSlice slice(control, at);
    for (auto [position, argument] : llvm::zip_equal(control.deciding(), arguments.drop_front())) {
      slice.replace(loop.getBeforeArguments()[position], argument);
    }
    return slice;
  };
  auto test = [&](OpBuilder &at, Location loc, ValueRange arguments) {
    Value runs = sliceOf(at, arguments).emit(loop.getConditionOp().getCondition());
    scf::ConditionOp::create(at, loc, runs, arguments);
  };
  auto advance = [&](OpBuilder &at, Location loc, ValueRange arguments) {
    ControlSlice slice = sliceOf(at, arguments);
    SmallVector<Value> next = {arith::AddIOp::create(at, loc, arguments[0], constant(at, 1))};
    for (unsigned position : control.deciding()) {
      next.push_back(slice.emit(loop.getYieldedValues()[position]));
      if (position == control.stopFlag()) {
        next[0] = arith::SelectOp::create(at, loc, next.back(), arguments[0], next[0]);
      }
    }
    scf::YieldOp::create(at, loc, next);
  };
  auto counting = scf::WhileOp::create(b, ValueRange(inits).getTypes(), inits, test, advance);
  SmallVector<Value> results = {counting.getResult(0)};
  for (auto [position, result] : llvm::zip_equal(control.deciding(), counting.getResults().drop_front())) {
    if (position == control.stopFlag()) {
      results.push_back(result);
    }
  }
  return results;
}

//===----------------------------------------------------------------------===//
// The closed form
//===----------------------------------------------------------------------===//

namespace {
struct ClosedCount {
  Value full, stopped, exact;
};
} // namespace

static ClosedCount emitClosedForm(ImplicitLocOpBuilder &b, const LoopControl &control, const TripCountPlan &plan,
                                  const ExitFormula &ends, const ExitFormula &stops, Value bound) {
  ControlSlice invariants(control, b);
  ClosedForm form(b, invariants);
  auto lastBefore = [&](Value end) -> Value { // iterations of which there are more than 2^31 are not counted this way
    Value least = arith::MaxSIOp::create(b, end, form.constant(1));
    return arith::SubIOp::create(b, least, form.constant(1));
  };
  Value end, last;
  if (bound) {
    end = arith::MaxSIOp::create(b, form.extend(bound, plan.isUnsigned), form.constant(0));
    last = lastBefore(end);
  }
  auto [otherEnd, exact] = form.emit(ends, last);
  end = end ? arith::MinSIOp::create(b, end, otherEnd).getResult() : otherEnd;
  last = last || ends.kind != ExitFormula::Kind::Never ? lastBefore(end) : Value();
  auto [stop, stopExact] = form.emit(stops, last);
  exact = arith::AndIOp::create(b, exact, stopExact);
  Value full = arith::MinSIOp::create(b, end, stop);
  if (!plan.type.isInteger(32)) {
    Value limit = form.constant(std::numeric_limits<int32_t>::max());
    Value isShort = arith::CmpIOp::create(b, Predicate::sle, last ? end : full, limit);
    exact = arith::AndIOp::create(b, exact, isShort);
  } else {
    full = arith::TruncIOp::create(b, plan.type, full);
  }
  return {full, arith::CmpIOp::create(b, Predicate::slt, stop, end), exact};
}

TripCount emitTripCount(OpBuilder &builder, scf::WhileOp loop, const LoopControl &control, const TripCountPlan &plan) {
  ImplicitLocOpBuilder b(loop.getLoc(), builder);
  Value bound = plan.bound ? ControlSlice(control, b).emit(plan.bound) : Value();
  SmallVector<Value> counts;
  if (!plan.ends || !plan.stops) {
    counts = emitCountingLoop(b, loop, control, plan.type);
  } else {
    ClosedCount closed = emitClosedForm(b, control, plan, *plan.ends, *plan.stops, bound);
    SmallVector<Type> types = {plan.type};
    SmallVector<Value> values = {closed.full};
    if (control.stopFlag()) {
      types.push_back(b.getI1Type());
      values.push_back(closed.stopped);
    }
    auto branch = scf::IfOp::create(b, types, closed.exact, /*withElseRegion=*/true);
    ImplicitLocOpBuilder first = ImplicitLocOpBuilder::atBlockBegin(b.getLoc(), branch.thenBlock()),
                         second = ImplicitLocOpBuilder::atBlockBegin(b.getLoc(), branch.elseBlock());
    scf::YieldOp::create(first, values);
    SmallVector<Value> counted = emitCountingLoop(second, loop, control, plan.type);
    scf::YieldOp::create(second, counted);
    counts.assign(branch.result_begin(), branch.result_end());
  }
  TripCount trips = {counts[0], counts.size() > 1 ? counts[1] : Value(), bound};
  if (bound && bound.getType() != plan.type) {
    trips.limit = arith::ExtUIOp::create(b, plan.type, bound);
  }
  return trips;
}

} // namespace tilewright
