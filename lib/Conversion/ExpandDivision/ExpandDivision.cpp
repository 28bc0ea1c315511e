// expand-division: the user's f32 quotients on a GPU. See Passes.td.
//
// `div.full.f32` is a product with an approximate reciprocal: 4.6875 / 0.9375 or x / x may come out beside the integer
// that they are. Here the remainder of that product corrects it:
//
//     %q = arith.divf %x, %y        %s  = 2^-k with the sign of %y, so that %d = %y * %s lies in [1/2, 1)
//                                   %r  = 1 / %d                off by 1 ulp, and one more below
//                                   %xs = %x * %s
//                                   %q0 = %xs * %r              off by a few ulp
//                                   %e  = %q0 * %d - %xs
//                                   %q1 = %q0 - %e * %r
//                                   %q  = |%e| < infinity ? %q1 : %q0
//
// The last line is for zero, infinite and overflowing operands, where %q0 is what division gives; it must not overflow
// where %q1 does not, so %r is never above 1 / %d. %d is positive, so that a zero's sign comes from %xs. %s, %d and %r
// are computed where the divisors are: once for all elements that share one, as those of a row divided by its sum.

#include "tilewright/Conversion/MathBuilder.h"
#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Ptx/IR/Ptx.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

namespace tilewright {
#define GEN_PASS_DEF_EXPANDDIVISION
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {
/// What quotients by the same numbers have in common; no scale where it would be one.
struct Divisor {
  Value scale, magnitude, reciprocal;
};
} // namespace

/// A shuffle of one vector.
static bool repeatsOne(vector::ShuffleOp op) {
  return op.getV1() == op.getV2() ||
         llvm::all_of(op.getMask(), [&](int64_t index) { return index < op.getV1VectorType().getNumElements(); });
}

static int64_t countElements(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getNumElements() : 1;
}

/// The different divisors: what the operand repeats, unless it picks a few of many; else the operand itself.
static Value findDivisors(Value operand) {
  Value source = operand;
  if (auto splat = operand.getDefiningOp<vector::BroadcastOp>()) {
    source = splat.getSource();
  } else if (auto shuffle = operand.getDefiningOp<vector::ShuffleOp>(); shuffle && repeatsOne(shuffle)) {
    source = shuffle.getV1();
  }
  return countElements(source) <= countElements(operand) ? source : operand;
}

/// `value`, one for each of the divisors, over the elements of the operand.
static Value spread(OpBuilder &b, Value value, Value operand) {
  Operation *how = operand.getDefiningOp();
  if (auto shuffle = dyn_cast_or_null<vector::ShuffleOp>(how)) {
    return vector::ShuffleOp::create(b, operand.getLoc(), value, value, shuffle.getMask());
  }
  return vector::BroadcastOp::create(b, operand.getLoc(), operand.getType(), value);
}

/// The exponents of 2^-k are those of y, subtracted from 253. Above 2^126 the power would be zero, so it is the
/// denormal 2^-127 there; below 2^-126 the scaled divisor is less than 1/2, which loses nothing.
static Divisor prepare(MathBuilder &m, Value y) {
  constexpr int64_t exponentBits = 0x7f800000, smallest = 0x00400000;
  Value exponent = m.iand(m.bits(y), m.i(exponentBits));
  Value scaleBits = m.isub(m.i(int64_t(253) << 23), exponent);
  scaleBits = arith::MaxSIOp::create(m.builder(), scaleBits, m.i(smallest));
  Value scale = m.copysign(m.asFloat(scaleBits), y);
  Value magnitude = m.mul(y, scale);
  Value reciprocal = ptx::RcpFtzOp::create(m.builder(), magnitude);
  return {scale, magnitude, m.mul(reciprocal, m.f(0x1.fffffep-1))};
}

/// The same of a constant, finite and not zero: the reciprocal is rounded to nearest, and a magnitude that is neither
/// small nor huge is not scaled.
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

static Value divide(MathBuilder &m, Value x, const Divisor &y) {
  Value scaled = y.scale ? m.mul(x, y.scale) : x;
  Value quotient = m.mul(scaled, y.reciprocal);
  Value excess = m.fma(quotient, y.magnitude, m.neg(scaled));
  Value corrected = m.fma(m.neg(excess), y.reciprocal, quotient);
  Value isFinite = m.less(m.abs(excess), m.f(std::numeric_limits<double>::infinity()));
  return m.select(isFinite, corrected, quotient);
}

/// A division by a power of two is a product with its inverse, if that is a normal number.
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
  } else if (divisors == operand) {
    quotient = divide(m, op.getLhs(), prepare(m, operand));
  } else {
    // Where the divisors are, outside of the loop over their uses.
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
