// pow as 2^(y log2 |x|) in double precision: y log2 |x| may be as large as 150 and needs 24 fractional bits, more than
// a float has.

#include "Expansions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace tilewright;

namespace {
// (log2(1 + f) - f log2(e)) / f^2.
// On [-0.2929, 0.4142], error 2^-41.0.
constexpr double kLog2Double[] = {-0.7213475204294885,  0.4808983466887504,  -0.3606737652420668,  0.2885390623223498,
                                  -0.24044875618347003, 0.20609557104492793, -0.18034994075664454, 0.16041966394431123,
                                  -0.1441271431275436,  0.12919372027582954, -0.11966469802461512, 0.12595756308369982,
                                  -0.12326401324933543, 0.06312558111372489};

// (2^r - 1) / r.
// On [-0.5, 0.5], error 2^-34.3.
constexpr double kExp2Double[] = {0.6931471807045323,    0.2402265106656184,    0.055504103659911264,
                                  0.00961803813197254,   0.0013333935055726022, 0.0001546675634133045,
                                  1.5196156523449226e-05};

constexpr double kLog2E = 1.4426950408889634;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
} // namespace

/// log2 of a positive float widened to double, with a relative error of 2^-40.
static Value log2Double(MathBuilder &m, Value x) {
  Value bits = m.bits(x);
  Value aboveRoot = m.isub(bits, m.constant(m.i64(), int64_t(0x3fe6a09e667f3bcd)));
  Value exponent = m.iand(aboveRoot, m.constant(m.i64(), int64_t(0xfff0000000000000)));
  Value f = m.sub(m.asFloat(m.isub(bits, exponent)), m.d(1.0));
  Value k = m.toFloat(m.f64(), m.narrowInteger(m.ashr(aboveRoot, 52)));
  Value fraction = m.mul(f, m.fma(f, m.polynomial(f, kLog2Double), m.d(kLog2E)));
  return m.add(k, fraction);
}

/// 2^x with a relative error of 2^-34, for |x| < 1000.
static Value exp2Double(MathBuilder &m, Value x) {
  constexpr double round = 6755399441055744.0; // 1.5 * 2^52, see Exponential.cpp
  Value biased = m.add(x, m.d(round + 1023));
  Value r = m.sub(x, m.sub(biased, m.d(round + 1023)));
  Value scale = m.asFloat(m.shl(m.bits(biased), 52));
  return m.mul(m.fma(r, m.polynomial(r, kExp2Double), m.d(1.0)), scale);
}

/// |x|^y. The logarithms of zero and infinity are set such that the rest gives the right result.
static Value powOfMagnitude(MathBuilder &m, Value magnitude, Value y) {
  Value log = log2Double(m, m.widen(magnitude));
  log = m.select(m.equal(magnitude, m.f(0.0)), m.d(-kInfinity), log);
  log = m.select(m.equal(magnitude, m.f(kInfinity)), m.d(kInfinity), log);
  Value product = m.mul(m.widen(y), log);
  // Narrowing turns 2^200 into infinity and 2^-200 into zero.
  product = m.atLeast(m.atMost(product, m.d(200.0)), m.d(-200.0));
  return m.narrow(exp2Double(m, product));
}

static Value isInteger(MathBuilder &m, Value x) { return m.equal(math::TruncOp::create(m.builder(), x), x); }

Value tilewright::expandPow(MathBuilder &m, Operands xy) {
  Value x = xy[0], y = xy[1];
  Value magnitude = m.abs(x);
  // (+-1)^(+-infinity) is 1, but log2(1) * infinity is NaN.
  Value finiteY = m.select(m.equal(magnitude, m.f(1.0)), m.copysign(m.f(1.0), y), y);
  finiteY = m.select(m.equal(m.abs(y), m.f(kInfinity)), finiteY, y);
  Value result = powOfMagnitude(m, magnitude, finiteY);

  // A negative base: an odd power is negative, and a fractional one is NaN.
  Value isWhole = isInteger(m, y);
  Value isEven = isInteger(m, m.mul(y, m.f(0.5)));
  Value isOdd = m.iand(isWhole, m.ixor(isEven, m.constant(isEven.getType(), int64_t(1))));
  result = m.select(isOdd, m.copysign(result, x), result);
  Value isFiniteNegative = m.iand(m.less(x, m.f(0.0)), m.less(m.f(-kInfinity), x));
  Value isUndefined = m.iand(isFiniteNegative, m.ixor(isWhole, m.constant(isWhole.getType(), int64_t(1))));
  isUndefined = m.ior(isUndefined, m.compare(arith::CmpFPredicate::UNO, x, y));
  result = m.select(isUndefined, m.f(kNaN), result);

  // x^0 and 1^y are 1 for any x and y, including NaN.
  Value isOne = m.ior(m.equal(x, m.f(1.0)), m.equal(y, m.f(0.0)));
  return m.select(isOne, m.f(1.0), result);
}
