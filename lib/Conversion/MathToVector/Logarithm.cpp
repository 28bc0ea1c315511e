// log, log2, log10 and log1p: x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt 2), a polynomial in f.

#include "Expansions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace tilewright;

namespace {
// (log(1 + f) - f) / f^2.
// On [-0.2929, 0.4142], error 2^-27.8.
constexpr double kLog[] = {-0.499999881, 0.333333224,  -0.250016034, 0.200022072,  -0.166088715,
                           0.141773954,  -0.132399529, 0.129300937,  -0.0766009837};

// (log2(1 + f) - f log2(e)) / f^2.
// On [-0.2929, 0.4142], error 2^-27.7.
constexpr double kLog2[] = {-0.721347332, 0.480898201,  -0.36069867, 0.288571417, -0.239567354,
                            0.204486579,  -0.191390827, 0.187088192, -0.110255897};

// (log10(1 + f) - f log10(e)) / f^2.
// On [-0.2929, 0.4142], error 2^-27.7.
constexpr double kLog10[] = {-0.217147186, 0.144764781,   -0.108580895, 0.086868681,  -0.0721228942,
                             0.0615594797, -0.0575643107, 0.0562798195, -0.0332713611};

/// A logarithm's base: log(2^k (1 + f)) = k * exponent + f * slope + f^2 * polynomial(f), the first two factors
/// as sums of two floats. A low part of zero means that the high part is 1.
struct Base {
  ArrayRef<double> polynomial;
  double exponentHigh, exponentLow;
  double slopeHigh, slopeLow;
};

const Base kNatural = {kLog, 0.6931471824645996, -1.9046542121259336e-09, 1, 0};
const Base kBinary = {kLog2, 1, 0, 1.4426950216293335, 1.925963033500011e-08};
const Base kDecimal = {kLog10, 0.3010300099849701, -1.432098883924482e-08, 0.4342944920063019, -1.0103049952192578e-08};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// x = 2^k * mantissa, k as an integer.
struct Parts {
  Value k, mantissa;
};
} // namespace

/// Splits a normal positive x so that the mantissa lies in [sqrt(1/2), sqrt 2).
static Parts split(MathBuilder &m, Value x) {
  Value bits = m.bits(x);
  Value aboveRoot = m.isub(bits, m.i(0x3f3504f3));
  Value exponent = m.iand(aboveRoot, m.i(0xff800000));
  return {m.ashr(aboveRoot, 23), m.asFloat(m.isub(bits, exponent))};
}

static Value combine(MathBuilder &m, const Base &base, Value k, Value f) {
  Value tail = m.mul(m.mul(f, f), m.polynomial(f, base.polynomial));
  if (base.exponentLow != 0) {
    tail = m.fma(k, m.f(base.exponentLow), tail);
  }
  Value fraction;
  if (base.slopeLow != 0) {
    fraction = m.fma(f, m.f(base.slopeHigh), m.fma(f, m.f(base.slopeLow), tail));
  } else {
    fraction = m.add(f, tail);
  }
  return base.exponentLow != 0 ? m.fma(k, m.f(base.exponentHigh), fraction) : m.add(k, fraction);
}

/// `result` where it holds; the logarithm's own values at zero, infinity, NaN and below zero.
static Value handleSpecials(MathBuilder &m, Value x, Value result) {
  Value atZero = m.select(m.equal(x, m.f(0.0)), m.f(-kInfinity), m.f(kNaN));
  Value positive = m.select(m.less(m.f(0.0), x), result, atZero);
  return m.select(m.equal(x, m.f(kInfinity)), x, positive);
}

static Value logarithm(MathBuilder &m, const Base &base, Value x) {
  // Denormals are scaled into the normal range first.
  Value isTiny = m.less(x, m.f(0x1p-126));
  Value scaled = m.select(isTiny, m.mul(x, m.f(0x1p23)), x);
  auto [k, mantissa] = split(m, scaled);
  Value exponent = m.add(m.toFloat(m.f32(), k), m.select(isTiny, m.f(-23.0), m.f(0.0)));
  return handleSpecials(m, x, combine(m, base, exponent, m.sub(mantissa, m.f(1.0))));
}

Value tilewright::expandLog(MathBuilder &m, Operands x) { return logarithm(m, kNatural, x[0]); }
Value tilewright::expandLog2(MathBuilder &m, Operands x) { return logarithm(m, kBinary, x[0]); }
Value tilewright::expandLog10(MathBuilder &m, Operands x) { return logarithm(m, kDecimal, x[0]); }

/// log(u + c) where u = 1 + x rounded and c is what the rounding lost: f takes up c, scaled as u was.
Value tilewright::expandLog1p(MathBuilder &m, Operands x) {
  Value u = m.add(x[0], m.f(1.0));
  Value lost = m.sub(x[0], m.sub(u, m.f(1.0)));
  auto [k, mantissa] = split(m, u);
  // 2^-k for k <= 126, and zero above, where nothing of c counts.
  Value capped = arith::MinSIOp::create(m.builder(), k, m.i(127));
  Value scale = m.asFloat(m.shl(m.isub(m.i(127), capped), 23));
  Value f = m.fma(lost, scale, m.sub(mantissa, m.f(1.0)));
  Value result = combine(m, kNatural, m.toFloat(m.f32(), k), f);
  return m.copysign(handleSpecials(m, u, result), x[0]);
}

/// In double precision, with the library's log: with u = 1 + x rounded, log(u) / (u - 1) varies slowly enough that x
/// times it is log(1 + x) (Kahan).
Value tilewright::expandLog1pDouble(MathBuilder &m, Operands x) {
  Value u = m.add(x[0], m.d(1.0));
  Value log = math::LogOp::create(m.builder(), u);
  Value ratio = m.mul(log, m.div(x[0], m.sub(u, m.d(1.0))));
  Value isInfinite = m.equal(u, m.d(kInfinity));
  return m.select(m.equal(u, m.d(1.0)), x[0], m.select(isInfinite, u, ratio));
}
