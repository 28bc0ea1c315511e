// expand-division: expands f32 divisions for GPUs. See Passes.td.
//
// A product with an approximate reciprocal, as in `div.full.f32` of PTX, may not be the exact integer for 4.6875 /
// 0.9375 or x / x. This expansion corrects it by the remainder:
//
//     %q = arith.divf %x, %y        %s  = 2^-k with the sign of %y, so that %d = %y * %s is in [1/2, 1)
//                                   %r  = 1 / %d                with an error of up to 1 ulp, rounded down by one more
//                                   %xs = %x * %s
//                                   %q0 = %xs * %r              with an error of a few ulp
//                                   %e  = %q0 * %d - %xs
//                                   %q1 = %q0 - %e * %r
//                                   %q  = |%e| < infinity ? %q1 : %q0
//
// The last line handles zero, infinite and overflowing operands, for which %q0 is the quotient. %q0 must not overflow
// if %q1 does not, so %r is never greater than 1 / %d. %d is positive, so that the sign of a zero quotient comes from
// %xs. %s, %d and %r are computed at the definition of the divisors: once for all elements that share one, as the
// elements of a row divided by its sum do.

#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Transforms/MathBuilder.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

namespace tilewright {
#define GEN_PASS_DEF_EXPANDDIVISION
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {
/// The values shared by quotients with the same divisors; `scale` is null if it is 1.
struct Divisor {
  Value scale, magnitude, reciprocal;
};
} // namespace

/// Whether the shuffle uses elements of its first vector only.
static bool repeatsOne(vector::ShuffleOp op) {
  return op.getV1() == op.getV2() ||
         llvm::all_of(op.getMask(), [&](int64_t index) { return index < op.getV1VectorType().getNumElements(); });
}

static int64_t countElements(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getNumElements() : 1;
}

/// The distinct divisors: the source of a broadcast or shuffle if it has no more elements than the operand, else the
/// operand.
static Value findDivisors(Value operand) {
  Value source = operand;
  if (auto splat = operand.getDefiningOp<vector::BroadcastOp>()) {
    source = splat.getSource();
  } else if (auto shuffle = operand.getDefiningOp<vector::ShuffleOp>(); shuffle && repeatsOne(shuffle)) {
    source = shuffle.getV1();
  }
  return countElements(source) <= countElements(operand) ? source : operand;
}

/// Distributes `value`, which has an element for each divisor, to the elements of the operand.
static Value spread(OpBuilder &b, Value value, Value operand) {
  Operation *how = operand.getDefiningOp();
  if (auto shuffle = dyn_cast_or_null<vector::ShuffleOp>(how)) {
    return vector::ShuffleOp::create(b, operand.getLoc(), value, value, shuffle.getMask());
  }
  return vector::BroadcastOp::create(b, operand.getLoc(), operand.getType(), value);
}

/// The biased exponent of 2^-k is 253 minus that of y. For a y of 2^126 and more it would be zero or less; the scale is
/// the denormal 2^-127 then. For a denormal y the scaled divisor is less than 1/2, which does no harm.
static Divisor prepare(MathBuilder &m, Value y) {
  constexpr int64_t exponentBits = 0x7f800000, smallest = 0x00400000;
  Value exponent = m.iand(m.bits(y), m.i(exponentBits));
  Value scaleBits = m.isub(m.i(int64_t(253) << 23), exponent);
  scaleBits = arith::MaxSIOp::create(m.builder(), scaleBits, m.i(smallest));
  Value scale = m.copysign(m.asFloat(scaleBits), y);
  Value magnitude = m.mul(y, scale);
  Value reciprocal = thread::ReciprocalOp::create(m.builder(), magnitude);
  return {scale, magnitude, m.mul(reciprocal, m.f(0x1.fffffep-1))};
}

/// The same for a finite nonzero constant: the reciprocal is rounded to nearest, and a moderate magnitude is not
/// scaled.
static Divisor prepareConstant(MathBuilder &m, float y) {
  int exponent;
  float magnitude = std::frexp(std::fabs(y), &exponent), scale = 1; // in [1/2, 1)
  if (std::fabs(y) >= 0.5F && std::fabs(y) <= 0x1p60F) {
    magnitude = std::fabs(y);
  } else {
    scale = std::ldexp(1.0F, std::clamp(-exponent, -127, 126));
    magnitude = std::fabs(y) * scale;
  }
  Divisor divisor{m.f(std::copysign(scale, y)), m.f(magnitude), m.f(1 / magnitude)};
  if (scale == 1 && y > 0) {
    divisor.scale = {};
  }
  return divisor;
}

/// `c + %positive` with a constant c of moderate size, as in 1 / (1 + exp(-x)).
struct SumOfAtLeastOne {
  double constant;
  Value positive;

  static std::optional<SumOfAtLeastOne> of(Value value) {
    auto sum = value.getDefiningOp<arith::AddFOp>();
    for (bool swaps : {false, true}) {
      APFloat constant(0.0F);
      Value other = sum ? sum->getOperand(swaps ? 1 : 0) : Value();
      bool isPositive = other && isa_and_nonnull<math::ExpOp, math::Exp2Op, math::AbsFOp>(other.getDefiningOp());
      if (isPositive && matchPattern(sum->getOperand(swaps ? 0 : 1), m_ConstantFloat(&constant)) &&
          constant.convertToDouble() >= 1 && constant.convertToDouble() <= 0x1p60) {
        return SumOfAtLeastOne{constant.convertToDouble(), other};
      }
    }
    return std::nullopt;
  }
};

/// Whether no quotient of the dividend by a number that is at least 1 overflows, also if the reciprocal is rounded up,
/// and the remainder is no denormal unless the quotient is a very small one.
static bool isModerateConstant(Value dividend) {
  APFloat constant(0.0F);
  if (!matchPattern(dividend, m_ConstantFloat(&constant))) {
    return false;
  }
  double size = std::fabs(constant.convertToDouble());
  return size == 0 || (size >= 0x1p-100 && size <= 0x1p100);
}

/// The same for a divisor that is at least 1, beneath a moderate constant: the reciprocal of a quarter of it is no
/// denormal, and need not be rounded down.
static Divisor prepareSum(MathBuilder &m, const SumOfAtLeastOne &y) {
  Value quarter = m.f(0.25), magnitude = m.fma(y.positive, quarter, m.f(y.constant * 0.25));
  return {quarter, magnitude, thread::ReciprocalOp::create(m.builder(), magnitude)};
}

static Value divide(MathBuilder &m, Value x, const Divisor &y) {
  Value scaled = y.scale ? m.mul(x, y.scale) : x;
  Value quotient = m.mul(scaled, y.reciprocal);
  Value excess = m.fma(quotient, y.magnitude, m.neg(scaled));
  Value corrected = m.fma(m.neg(excess), y.reciprocal, quotient);
  Value isFinite = m.less(m.abs(excess), m.f(std::numeric_limits<double>::infinity()));
  return m.select(isFinite, corrected, quotient);
}

/// A division by a power of two becomes a multiplication by its inverse, if that is a normal number.
static Value rewriteConstant(MathBuilder &m, Value x, const APFloat &y) {
  APFloat inverse(0.0F);
  return y.getExactInverse(&inverse) ? m.mul(x, m.f(inverse.convertToFloat()))
                                     : divide(m, x, prepareConstant(m, y.convertToFloat()));
}

static void rewrite(arith::DivFOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  MathBuilder m(b, op.getType());
  Value operand = op.getRhs(), divisors = findDivisors(operand), quotient;
  APFloat constant(0.0F);
  if (matchPattern(divisors, m_ConstantFloat(&constant)) && constant.isFiniteNonZero()) {
    quotient = rewriteConstant(m, op.getLhs(), constant);
  } else if (auto sum = isModerateConstant(op.getLhs()) ? SumOfAtLeastOne::of(operand) : std::nullopt) {
    quotient = divide(m, op.getLhs(), prepareSum(m, *sum));
  } else if (divisors == operand) {
    quotient = divide(m, op.getLhs(), prepare(m, operand));
  } else {
    // At the definition of the divisors, which may be outside of loops around the division.
    b.setInsertionPointAfterValue(divisors);
    MathBuilder shared(b, divisors.getType());
    Divisor divisor = prepare(shared, divisors);
    b.setInsertionPoint(op);
    quotient = divide(m, op.getLhs(),
                      {spread(b, divisor.scale, operand), spread(b, divisor.magnitude, operand),
                       spread(b, divisor.reciprocal, operand)});
  }
  op.replaceAllUsesWith(quotient);
  op.erase();
}

namespace {
struct ExpandDivision : tilewright::impl::ExpandDivisionBase<ExpandDivision> {
  void runOnOperation() override {
    SmallVector<arith::DivFOp> divisions;
    getOperation()->walk([&](arith::DivFOp op) {
      if (getElementTypeOrSelf(op.getType()).isF32() && !op->hasAttr(tile::TileDialect::kPreciseAttr)) {
        divisions.push_back(op);
      }
    });
    llvm::for_each(divisions, rewrite);
  }
};
} // namespace
