// exp, exp2 and expm1 in double precision: as in Exponential.cpp, except for the power of two. It is split into two
// factors, which are normal numbers for any n; an even n would need a polynomial of a higher degree.

#include "Expansions.h"

#include <limits>

using namespace mlir;
using namespace tilewright;

namespace {
// (exp(r) - 1 - r) / r^2.
// On [-0.3466, 0.3466], error 2^-56.1.
constexpr double kExpHalfDouble[] = {0.50000000000000011,    0.16666666666666669,    0.041666666666624129,
                                     0.0083333333333300615,  0.0013888888917213717,  0.00019841269863053618,
                                     2.4801521295954376e-05, 2.7557268459997064e-06, 2.7620088445409746e-07,
                                     2.510038549551032e-08};

// (2^r - 1) / r.
// On [-0.5001, 0.5001], error 2^-56.0.
constexpr double kExp2WholeDouble[] = {0.69314718055994529,    0.24022650695910072,    0.055504108664821625,
                                       0.0096181291076284803,  0.0013333558146406436,  0.00015403530393370715,
                                       1.5252733841601815e-05, 1.3215486808727859e-06, 1.0178057064573359e-07,
                                       7.0548972926916273e-09, 4.4558220250149153e-10, 2.5729344553786755e-11};

constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2High = 0.6931471805599453;
constexpr double kLn2Low = 2.3190468138462996e-17;

// Adding 1.5 * 2^52 to a number of moderate magnitude leaves the nearest integer in the low bits of the sum.
constexpr double kRound = 6755399441055744.0;

/// An integer n as f64 and as i32.
struct Nearest {
  Value n, bits;
};
} // namespace

static Nearest nearest(MathBuilder &m, Value x, double factor) {
  Value sum = m.fma(x, m.d(factor), m.d(kRound));
  return {m.sub(sum, m.d(kRound)), m.narrowInteger(m.bits(sum))};
}

/// 2^n for an i32 from -1022 to 1023.
static Value powerOfTwo(MathBuilder &m, Value n) { return m.asFloat(m.shl(m.widenUnsigned(m.iadd(n, m.i(1023))), 52)); }

/// p 2^n. Only the second multiplication rounds.
static Value scale(MathBuilder &m, Value p, Value n) {
  Value half = m.ashr(n, 1);
  return m.mul(m.mul(p, powerOfTwo(m, half)), powerOfTwo(m, m.isub(n, half)));
}

/// exp(x - n ln 2) - 1.
static Value expM1OfRest(MathBuilder &m, Value x, Value n) {
  Value r = m.fma(n, m.d(-kLn2Low), m.fma(n, m.d(-kLn2High), x));
  return m.fma(m.mul(r, r), m.polynomial(r, kExpHalfDouble), r);
}

Value tilewright::expandExpDouble(MathBuilder &m, Operands x) {
  // At and beyond the bounds the result is infinite or zero, which is exact as in Exponential.cpp: n is -2046.
  Value clamped = m.atLeast(m.atMost(x[0], m.d(710.0)), m.d(-1418.2));
  auto [n, bits] = nearest(m, clamped, kLog2E);
  return scale(m, m.add(expM1OfRest(m, clamped, n), m.d(1.0)), bits);
}

Value tilewright::expandExp2Double(MathBuilder &m, Operands x) {
  Value clamped = m.atLeast(m.atMost(x[0], m.d(1025.0)), m.d(-2046.0));
  auto [n, bits] = nearest(m, clamped, 1.0);
  Value r = m.sub(clamped, n);
  return scale(m, m.fma(r, m.polynomial(r, kExp2WholeDouble), m.d(1.0)), bits);
}

Value tilewright::expOfModerateDouble(MathBuilder &m, Value x) {
  auto [n, bits] = nearest(m, x, kLog2E);
  Value power = powerOfTwo(m, bits);
  return m.fma(expM1OfRest(m, x, n), power, power);
}

/// With u = exp(x) rounded, (u - 1) / log(u) has the same relative error in numerator and denominator, and x times it
/// is exp(x) - 1 (Kahan).
Value tilewright::expandExpM1Double(MathBuilder &m, Operands x) {
  Value u = expandExpDouble(m, x);
  Value less = m.sub(u, m.d(1.0));
  Value ratio = m.div(m.mul(less, x[0]), expandLogDouble(m, u));
  // x where u is 1 and the ratio is undefined; u - 1 where |x| is large, so that u may be infinite or zero.
  Value isLarge = m.less(m.d(40.0), m.abs(x[0]));
  return m.select(m.equal(u, m.d(1.0)), x[0], m.select(isLarge, less, ratio));
}
