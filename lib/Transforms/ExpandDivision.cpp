// expand-division: expands f32 divisions for GPUs. See Passes.td.
//
// A product with an approximate reciprocal, as in `div.full.f32` of PTX, may not be the exact integer for 4.6875 /
// 0.9375 or x / x. This expansion multiplies by a reciprocal of twice the precision, the sum of two floats:
//
//     %q = arith.divf %x, %y        %s    = 2^-k with the sign of %y, so that %d = %y * %s is in [1/2, 1)
//                                   %high = 1 / %d              with an error of up to 1 ulp, rounded down by one more
//                                   %e    = 1 - %high * %d      the remainder, at least 2^-80
//                                   %low  = %high * %e
//                                   %xs   = %x * %s
//                                   %q    = %xs * %high + %xs * %low       the first product is not rounded
//
// The quotient is in error by half an ulp and a few millionths: the reciprocal by the square of %e. Where %high is zero
// or infinite, since the divisor is infinite or zero, 2^-80 replaces a remainder that is NaN, and %low is equal to
// %high. Elsewhere %low is a positive number, so that the two products of an infinite dividend have the same sign. %d
// is positive, and the sign of a zero quotient comes from %xs. %s, %high and %low are computed at the definition of the
// divisors: once for all elements that share one, as the elements of a row divided by its sum do.

#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Transforms/MathBuilder.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <cmath>

namespace tilewright {
#define GEN_PASS_DEF_EXPANDDIVISION
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {
/// The values shared by quotients with the same divisors; `scale` is null if it is 1.
struct Divisor {
  Value scale, high, low;
};
} // namespace

/// Too small to change a quotient: remainders are multiples of 2^-48.
constexpr double kLeastRemainder = 0x1p-80;

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

/// Adds the low part to a reciprocal. `least` replaces a smaller remainder, and NaN; where it is negative, the low part
/// of the reciprocal of infinity is not, so that the quotient's sign is right.
static Divisor complete(MathBuilder &m, Value scale, Value magnitude, Value high, double least) {
  Value remainder = m.fma(m.neg(high), magnitude, m.f(1));
  remainder = arith::MaxNumFOp::create(m.builder(), remainder, m.f(least));
  return {scale, high, m.fma(high, remainder, m.f(0))};
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
  return complete(m, scale, magnitude, m.mul(reciprocal, m.f(0x1.fffffep-1)), kLeastRemainder);
}

/// The same for a finite nonzero constant: the reciprocal is computed in double precision, and one of moderate size has
/// the sign and needs no scale.
static Divisor prepareConstant(MathBuilder &m, float y) {
  Value scale;
  if (std::fabs(y) < 0x1p-60F || std::fabs(y) > 0x1p60F) {
    int exponent;
    std::frexp(y, &exponent);
    float factor = std::ldexp(1.0F, std::clamp(-exponent, -127, 126));
    scale = m.f(factor);
    y *= factor;
  }
  double inverse = 1.0 / y;
  float high = static_cast<float>(inverse);
  if (std::fabs(high) > std::fabs(inverse)) {
    high = std::nextafter(high, 0.0F);
  }
  return {scale, m.f(high), m.f((inverse - high) + kLeastRemainder * inverse)};
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

/// Whether the bounds of docs/math.md hold for the constant over numbers of at least 1. Quotients of a larger one are
/// of normal size where the low part of the reciprocal is denormal.
static bool isModerateConstant(Value dividend) {
  APFloat constant(0.0F);
  if (!matchPattern(dividend, m_ConstantFloat(&constant))) {
    return false;
  }
  double size = std::fabs(constant.convertToDouble());
  return size >= 0x1p-100 && size <= 2;
}

/// The same for a divisor that is at least 1, beneath a moderate constant: the reciprocal of a quarter of it is no
/// denormal, and need not be rounded down, as the dividend is finite. Remainders are NaN or of either sign.
static Divisor prepareSum(MathBuilder &m, const SumOfAtLeastOne &y) {
  Value quarter = m.f(0.25), magnitude = m.fma(y.positive, quarter, m.f(y.constant * 0.25));
  return complete(m, quarter, magnitude, thread::ReciprocalOp::create(m.builder(), magnitude), /*least=*/-1);
}

static Value divide(MathBuilder &m, Value x, const Divisor &y) {
  Value scaled = y.scale ? m.mul(x, y.scale) : x;
  return m.fma(scaled, y.high, m.mul(scaled, y.low));
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
    quotient =
        divide(m, op.getLhs(),
               {spread(b, divisor.scale, operand), spread(b, divisor.high, operand), spread(b, divisor.low, operand)});
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
