// expand-remainder: computes floating-point remainders exactly, for quotients of any size.
//
// While |r| >= |y|, with r = x at first:
//
//     t = |y| * 2^(s n)       the largest of n = 0, 1, 2 with t <= |r|: so r / t does not overflow
//     r = r - t trunc(r / t)  by an fma, whose result is exact
//
// r and the product are multiples of one unit, and their difference has few enough units to be representable. Each
// iteration removes most of a significand's bits from r; one iteration is enough if the quotient has no more than that.
// The quotient is rounded, so r may have the wrong sign; then |y| is added at the end. If x is NaN or infinite, or y is
// zero, r becomes NaN, which ends the loop. If y is NaN, the loop is not entered.

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Transforms/MathBuilder.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilewright {
#define GEN_PASS_DEF_EXPANDREMAINDER
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

/// The power of two between divisors: three divisors span all exponents of quotients.
double stepOf(Type element) { return element.isF64() ? 0x1p700 : 0x1p100; }

/// r - t trunc(r / t).
Value takeAway(MathBuilder &m, Value r, Value t) {
  Value quotient = m.div(r, t);
  quotient.getDefiningOp()->setAttr(tile::TileDialect::kPreciseAttr, m.builder().getUnitAttr());
  Value whole = math::TruncOp::create(m.builder(), quotient);
  return m.fma(m.neg(whole), t, r);
}

Value reduce(MathBuilder &m, Value x, Value divisor) {
  ImplicitLocOpBuilder &b = m.builder();
  Value step = m.like(x, stepOf(getElementTypeOrSelf(x.getType())));
  Value far = m.mul(divisor, step), farther = m.mul(far, step);
  auto isLarger = [&](Value r, Value t) { return m.compare(arith::CmpFPredicate::OGE, m.abs(r), t); };
  auto loop = scf::WhileOp::create(
      b, TypeRange{x.getType()}, ValueRange{x},
      [&](OpBuilder &, Location, ValueRange values) {
        scf::ConditionOp::create(b, m.anyOf(isLarger(values[0], divisor)), values);
      },
      [&](OpBuilder &, Location, ValueRange values) {
        Value r = values[0];
        Value t = m.select(isLarger(r, far), far, divisor);
        t = m.select(isLarger(r, farther), farther, t);
        scf::YieldOp::create(b, m.select(isLarger(r, divisor), takeAway(m, r, t), r));
      });
  return loop.getResult(0);
}

Value remainder(MathBuilder &m, Value x, Value y) {
  Value divisor = m.abs(y);
  Value r = reduce(m, x, divisor);
  Value isOpposite = m.compare(arith::CmpFPredicate::UNE, m.copysign(r, x), r);
  r = m.select(isOpposite, m.add(r, m.copysign(divisor, x)), r);
  r = m.copysign(r, x); // including the sign of zero
  return m.select(m.compare(arith::CmpFPredicate::UNO, y, y), y, r);
}

void rewrite(arith::RemFOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  MathBuilder m(b, op.getType());
  Value x = op.getLhs(), y = op.getRhs();
  bool isNarrow = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() < 32;
  if (isNarrow) {
    x = arith::ExtFOp::create(b, m.f32(), x);
    y = arith::ExtFOp::create(b, m.f32(), y);
  }
  Value result = remainder(m, x, y);
  if (isNarrow) {
    result = arith::TruncFOp::create(b, op.getType(), result); // exact: no more bits than x and y
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

struct ExpandRemainder : impl::ExpandRemainderBase<ExpandRemainder> {
  void runOnOperation() override { getOperation()->walk(rewrite); }
};

} // namespace
} // namespace tilewright
