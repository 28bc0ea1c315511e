#include "ClosedForm.h"

using namespace mlir;

namespace tilewright {

using Predicate = arith::CmpIPredicate;

Value ClosedForm::constant(int64_t value) { return arith::ConstantIntOp::create(b, value, 64); }

Value ClosedForm::extend(Value value, bool isUnsigned) {
  if (value.getType().isInteger(64)) {
    return value;
  }
  return isUnsigned ? arith::ExtUIOp::create(b, b.getI64Type(), value).getResult()
                    : arith::ExtSIOp::create(b, b.getI64Type(), value).getResult();
}

Value ClosedForm::compare(Predicate predicate, Value left, Value right) {
  return arith::CmpIOp::create(b, predicate, left, right);
}

Value ClosedForm::select(Value condition, Value first, Value second) {
  return arith::SelectOp::create(b, condition, first, second);
}

Value ClosedForm::both(Value left, Value right) { return arith::AndIOp::create(b, left, right); }

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

ClosedForm::Iteration ClosedForm::emit(const ExitFormula &formula, Value last) {
  Value yes = arith::ConstantIntOp::create(b, 1, 1);
  switch (formula.kind) {
  case ExitFormula::Kind::Never:
    return {constant(kNever), yes};
  case ExitFormula::Kind::AtOnce:
    return {constant(0), yes};
  case ExitFormula::Kind::Compare:
    return emitComparison(formula, last);
  case ExitFormula::Kind::Earliest: {
    Iteration left = emit(formula.parts[0], last), right = emit(formula.parts[1], last);
    return {arith::MinSIOp::create(b, left.number, right.number), both(left.exact, right.exact)};
  }
  case ExitFormula::Kind::Choose: {
    Value condition = invariants.emit(formula.condition);
    Iteration first = emit(formula.parts[0], last), second = emit(formula.parts[1], last);
    return {select(condition, first.number, second.number), select(condition, first.exact, second.exact)};
  }
  }
  llvm_unreachable("unknown kind");
}

/// The sides are linear, so that they do not wrap up to an iteration if they fit 32 bits in it and in the first one.
ClosedForm::Iteration ClosedForm::emitComparison(const ExitFormula &formula, Value last) {
  bool isUnsigned = formula.predicate >= Predicate::ult, isLeft = formula.left.slope.has_value();
  Value left = emitStart(formula.left), right = emitStart(formula.right);
  const std::optional<InvariantProduct> &slope = isLeft ? formula.left.slope : formula.right.slope;
  Value step = slope ? emitProduct(*slope) : constant(0);
  Value change = isLeft ? step : arith::SubIOp::create(b, constant(0), step).getResult();
  Value first = firstOf(formula.predicate, arith::SubIOp::create(b, left, right), change);
  Value exact = both(isExact(formula.left, left, isUnsigned), isExact(formula.right, right, isUnsigned)), end;
  if (last) {
    end = arith::MinSIOp::create(b, first, last);
  } else {
    Value isFound = compare(Predicate::ne, first, constant(kNever));
    exact = both(exact, isFound);
    end = select(isFound, first, constant(0));
  }
  Value reached = arith::AddIOp::create(b, isLeft ? left : right, arith::MulIOp::create(b, step, end));
  return {first, both(exact, fits(reached, isUnsigned))};
}

/// The first t for which the predicate holds for difference + t * slope and 0.
Value ClosedForm::firstOf(Predicate predicate, Value difference, Value slope) {
  Value negative = arith::SubIOp::create(b, constant(0), difference),
        opposite = arith::SubIOp::create(b, constant(0), slope);
  auto less = [&](Value value) { return arith::SubIOp::create(b, value, constant(1)); };
  switch (predicate) {
  case Predicate::slt:
  case Predicate::ult:
    return firstNotNegative(less(negative), opposite);
  case Predicate::sle:
  case Predicate::ule:
    return firstNotNegative(negative, opposite);
  case Predicate::sgt:
  case Predicate::ugt:
    return firstNotNegative(less(difference), slope);
  case Predicate::sge:
  case Predicate::uge:
    return firstNotNegative(difference, slope);
  case Predicate::eq:
    return firstZero(difference, slope);
  case Predicate::ne: {
    Value moves = compare(Predicate::ne, slope, constant(0));
    Value later = select(moves, constant(1), constant(kNever));
    return select(compare(Predicate::ne, difference, constant(0)), constant(0), later);
  }
  }
  llvm_unreachable("unknown predicate");
}

/// The quotient of two numbers below 2^32. GPUs call a function to divide 64-bit integers, and kernels with calls have
/// no matrix instructions in flight.
Value ClosedForm::divide(Value dividend, Value divisor) {
  Value left = arith::TruncIOp::create(b, b.getI32Type(), dividend),
        right = arith::TruncIOp::create(b, b.getI32Type(), divisor);
  return extend(arith::DivUIOp::create(b, left, right), /*isUnsigned=*/true);
}

/// The first t for which start + t * slope >= 0: 0, or -start / slope rounded up. Differences of 32-bit integers, less
/// 1, have a magnitude of at most 2^32.
Value ClosedForm::firstNotNegative(Value start, Value slope) {
  Value rises = compare(Predicate::sgt, slope, constant(0));
  Value isLater = both(rises, compare(Predicate::slt, start, constant(0)));
  Value rest = arith::SubIOp::create(b, constant(-1), start); // the largest t * slope at which it is still negative
  Value steps = divide(select(isLater, rest, constant(0)), select(rises, slope, constant(1)));
  Value later = select(rises, arith::AddIOp::create(b, steps, constant(1)), constant(kNever));
  return select(compare(Predicate::sge, start, constant(0)), constant(0), later);
}

/// The first t for which start + t * slope == 0: |start| / |slope|, if that is right.
Value ClosedForm::firstZero(Value start, Value slope) {
  auto magnitude = [&](Value value) {
    return arith::MaxSIOp::create(b, value, arith::SubIOp::create(b, constant(0), value)).getResult();
  };
  Value moves = compare(Predicate::ne, slope, constant(0));
  Value quotient = divide(magnitude(start), select(moves, magnitude(slope), constant(1)));
  Value reached = arith::AddIOp::create(b, start, arith::MulIOp::create(b, quotient, slope));
  return select(compare(Predicate::eq, reached, constant(0)), quotient, constant(kNever));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ClosedForm::emitProduct(const InvariantProduct &product) {
  Value result = constant(product.factor);
  for (Value scalar : product.scalars) {
    result = arith::MulIOp::create(b, result, extend(invariants.emit(scalar), /*isUnsigned=*/false));
  }
  return result;
}

Value ClosedForm::emitStart(const Affine &affine) {
  Value sum = constant(0);
  for (const InvariantProduct &product : affine.start) {
    sum = arith::AddIOp::create(b, sum, emitProduct(product));
  }
  return sum;
}

/// Whether the 64-bit value of iteration 0 is that of 32 bits, as of a single value.
Value ClosedForm::isExact(const Affine &affine, Value start, bool isUnsigned) {
  bool isValue =
      affine.start.size() == 1 && affine.start.front().factor == 1 && affine.start.front().scalars.size() == 1;
  return isValue && !isUnsigned ? arith::ConstantIntOp::create(b, 1, 1).getResult() : fits(start, isUnsigned);
}

/// Whether the 64-bit value fits the 32-bit integers that the loop compares, of which signed and unsigned comparisons
/// see the same: those below 2^31 if they are unsigned.
Value ClosedForm::fits(Value value, bool isUnsigned) {
  Value low = constant(isUnsigned ? 0 : std::numeric_limits<int32_t>::min());
  Value high = constant(std::numeric_limits<int32_t>::max());
  return both(compare(Predicate::sge, value, low), compare(Predicate::sle, value, high));
}

} // namespace tilewright
