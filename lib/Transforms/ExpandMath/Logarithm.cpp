// log, log2, log10 and log1p: x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt 2), and a polynomial in f.

#include "Expansions.h"

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

// The same in double precision.
// On [-0.2929, 0.4142], error 2^-57.5.
constexpr double kLogDouble[] = {-0.5,
                                 0.3333333333333337,
                                 -0.24999999999999434,
                                 0.19999999999975535,
                                 -0.16666666666809152,
                                 0.14285714290226392,
                                 -0.12499999988229632,
                                 0.1111111072996344,
                                 -0.10000000293648051,
                                 0.090909265195292355,
                                 -0.083333418596051215,
                                 0.076918462514951214,
                                 -0.071421781449313659,
                                 0.066737464351654618,
                                 -0.062668711410289124,
                                 0.058250702386463023,
                                 -0.053492389973253424,
                                 0.054081381753003616,
                                 -0.062074960387939519,
                                 0.056478140735387768,
                                 -0.02432617491821441};

// On [-0.2929, 0.4142], error 2^-56.4.
constexpr double kLog2Double[] = {
    -0.72134752044448169, 0.48089834696298839,   -0.36067376022223269, 0.28853900817743972,   -0.24044917348354955,
    0.20609929162066215,  -0.1803368799413099,   0.16029944348886405,  -0.14426950832534222,  0.13115434606810791,
    -0.12022470974884721, 0.11096988442312375,   -0.10303984990838018, 0.096281808861636092,  -0.090411839170525726,
    0.08403799946124911,  -0.077173205739711231, 0.078022941259481185, -0.089555237515059186, 0.081480733557572876,
    -0.035095251918305412};

// On [-0.2929, 0.4142], error 2^-56.2.
constexpr double kLog10Double[] = {
    -0.21714724095162591,  0.14476482730108411,   -0.1085736204758105,   0.086858896380544115,  -0.072382413651160785,
    0.062042068862917521,  -0.054286810186788416, 0.048254940778391348,  -0.043429449465622459, 0.039481392228194814,
    -0.036191243854398876, 0.033405263826725436,  -0.031018085571136958, 0.02898371250413858,   -0.027216675553475924,
    0.025297958613429473,  -0.0232314497892008,   0.02348724566903268,   -0.026958812760845073, 0.024528144869534172,
    -0.010564723532793807};

/// The parameters of a floating-point format.
struct Format {
  int64_t mantissaBits;
  int64_t rootBits, exponentMask; ///< the bits of sqrt(1/2); sign and exponent
  double smallestNormal, lift;    ///< a power of two that makes denormals normal
};

constexpr Format kSingle = {23, 0x3f3504f3, 0xff800000, 0x1p-126, 0x1p23};
constexpr Format kDouble = {52, 0x3fe6a09e667f3bcd, int64_t(0xfff0000000000000), 0x1p-1022, 0x1p52};

/// A logarithm's base: log(2^k (1 + f)) = k * exponent + f * slope + f^2 * polynomial(f), the first two factors
/// as sums of two floats. A low part of zero means that the high part is 1.
struct Base {
  const Format &format;
  ArrayRef<double> polynomial;
  double exponentHigh, exponentLow;
  double slopeHigh, slopeLow;
};

constexpr Base kNatural = {kSingle, kLog, 0.6931471824645996, -1.9046542121259336e-09, 1, 0};
constexpr Base kBinary = {kSingle, kLog2, 1, 0, 1.4426950216293335, 1.925963033500011e-08};
constexpr Base kDecimal = {
    kSingle, kLog10, 0.3010300099849701, -1.432098883924482e-08, 0.4342944920063019, -1.0103049952192578e-08};
constexpr Base kNaturalDouble = {kDouble, kLogDouble, 0.6931471805599453, 2.3190468138462996e-17, 1, 0};
constexpr Base kBinaryDouble = {kDouble, kLog2Double, 1, 0, 1.4426950408889634, 2.0355273740931033e-17};
constexpr Base kDecimalDouble = {
    kDouble, kLog10Double, 0.3010299956639812, -2.8037281277851704e-18, 0.4342944819032518, 1.098319650216765e-17};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// x = 2^k * mantissa, k as an integer.
struct Parts {
  Value k, mantissa;
};
} // namespace

/// Splits a positive normal x such that the mantissa is in [sqrt(1/2), sqrt 2).
static Parts split(MathBuilder &m, const Format &format, Value x) {
  Value bits = m.bits(x);
  Value aboveRoot = m.isub(bits, m.constant(bits.getType(), format.rootBits));
  Value exponent = m.iand(aboveRoot, m.constant(bits.getType(), format.exponentMask));
  Value k = m.ashr(aboveRoot, format.mantissaBits);
  return {&format == &kDouble ? m.narrowInteger(k) : k, m.asFloat(m.isub(bits, exponent))};
}

static Value combine(MathBuilder &m, const Base &base, Value k, Value f) {
  Value tail = m.mul(m.mul(f, f), m.polynomial(f, base.polynomial));
  if (base.exponentLow != 0) {
    tail = m.fma(k, m.like(f, base.exponentLow), tail);
  }
  Value fraction;
  if (base.slopeLow != 0) {
    fraction = m.fma(f, m.like(f, base.slopeHigh), m.fma(f, m.like(f, base.slopeLow), tail));
  } else {
    fraction = m.add(f, tail);
  }
  return base.exponentLow != 0 ? m.fma(k, m.like(f, base.exponentHigh), fraction) : m.add(k, fraction);
}

/// `result` for finite positive x; the special values for zero, infinity, NaN and negative numbers.
static Value handleSpecials(MathBuilder &m, Value x, Value result) {
  Value atZero = m.select(m.equal(x, m.like(x, 0.0)), m.like(x, -kInfinity), m.like(x, kNaN));
  Value positive = m.select(m.less(m.like(x, 0.0), x), result, atZero);
  return m.select(m.equal(x, m.like(x, kInfinity)), x, positive);
}

static Value logarithm(MathBuilder &m, const Base &base, Value x) {
  // Denormals are scaled into the normal range first.
  const Format &format = base.format;
  Value isTiny = m.less(x, m.like(x, format.smallestNormal));
  Value scaled = m.select(isTiny, m.mul(x, m.like(x, format.lift)), x);
  auto [k, mantissa] = split(m, format, scaled);
  Value lifted = m.select(isTiny, m.like(x, -double(format.mantissaBits)), m.like(x, 0.0));
  Value exponent = m.add(m.toFloat(x.getType(), k), lifted);
  return handleSpecials(m, x, combine(m, base, exponent, m.sub(mantissa, m.like(x, 1.0))));
}

Value tilewright::expandLog(MathBuilder &m, Operands x) { return logarithm(m, kNatural, x[0]); }
Value tilewright::expandLog2(MathBuilder &m, Operands x) { return logarithm(m, kBinary, x[0]); }
Value tilewright::expandLog10(MathBuilder &m, Operands x) { return logarithm(m, kDecimal, x[0]); }
Value tilewright::expandLogDouble(MathBuilder &m, Operands x) { return logarithm(m, kNaturalDouble, x[0]); }
Value tilewright::expandLog2Double(MathBuilder &m, Operands x) { return logarithm(m, kBinaryDouble, x[0]); }
Value tilewright::expandLog10Double(MathBuilder &m, Operands x) { return logarithm(m, kDecimalDouble, x[0]); }

/// log(u + c), where u is 1 + x rounded and c the rounding error: c is scaled like u and added to f.
Value tilewright::expandLog1p(MathBuilder &m, Operands x) {
  Value u = m.add(x[0], m.f(1.0));
  Value lost = m.sub(x[0], m.sub(u, m.f(1.0)));
  auto [k, mantissa] = split(m, kSingle, u);
  // 2^-k for k <= 126, and zero above, where c is negligible.
  Value capped = arith::MinSIOp::create(m.builder(), k, m.i(127));
  Value scale = m.asFloat(m.shl(m.isub(m.i(127), capped), 23));
  Value f = m.fma(lost, scale, m.sub(mantissa, m.f(1.0)));
  Value result = combine(m, kNatural, m.toFloat(m.f32(), k), f);
  return m.copysign(handleSpecials(m, u, result), x[0]);
}

/// In double precision: with u = 1 + x rounded, log(u) / (u - 1) varies slowly enough that x
/// times it is log(1 + x) (Kahan).
Value tilewright::expandLog1pDouble(MathBuilder &m, Operands x) {
  Value u = m.add(x[0], m.d(1.0));
  Value log = expandLogDouble(m, u);
  Value ratio = m.mul(log, m.div(x[0], m.sub(u, m.d(1.0))));
  Value isInfinite = m.equal(u, m.d(kInfinity));
  return m.select(m.equal(u, m.d(1.0)), x[0], m.select(isInfinite, u, ratio));
}
