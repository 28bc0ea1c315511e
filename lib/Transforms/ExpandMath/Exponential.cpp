// exp, exp2 and expm1: x = n ln 2 + r, a polynomial in r, and scaling by 2^n.

#include "Expansions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;

namespace {
constexpr double kLog2E = 1.4426950408889634;
// ln 2 as a sum of two floats. Subtracting the product of the first and an 8-bit n from x by fma is exact.
constexpr double kLn2High = 0.6931471824645996;
constexpr double kLn2Low = -1.9046542121259336e-09;

// (exp(r) - 1) / r.
// On [-0.6931, 0.6931], error 2^-26.0.
constexpr double kExp[] = {1, 0.500000358, 0.16666618, 0.041661229, 0.00833592936, 0.00141047465, 0.000196307155};

// (2^r - 1) / r.
// On [-1, 1], error 2^-26.2.
constexpr double kExp2[] = {0.693147242,   0.240226686,    0.055503659,   0.00961684436,
                            0.00133417198, 0.000156452923, 1.49169628e-05};

// (exp(r) - 1 - r) / r^2.
// On [-0.3466, 0.3466], error 2^-31.1.
constexpr double kExpHalf[] = {0.5, 0.166666657, 0.0416664928, 0.00833354797, 0.00139323086, 0.000197601912};

// Adding 1.5 * 2^23 to a float of moderate magnitude leaves the nearest integer in the low bits of the sum.
constexpr double kRound = 12582912.0;

/// An integer n as a float, and 2^(n + shift) as a float.
struct Power {
  Value n, scale;
};
} // namespace

/// n is the integer nearest to x * factor. With the exponent bias 127 added to the rounding constant, the low bits of
/// the sum, shifted to the exponent field, are the float 2^(n + shift); the upper bits are shifted out.
static Power nearestPower(MathBuilder &m, Value x, double factor, int shift = 0) {
  Value biased = m.fma(x, m.f(factor), m.f(kRound + 127 + shift));
  Value n = m.sub(biased, m.f(kRound + 127 + shift));
  return {n, m.asFloat(m.shl(m.bits(biased), 23))};
}

/// x - n * multiple * ln 2, with twice the precision of f32 in the product.
static Value subtractLn2(MathBuilder &m, Value x, Value n, double multiple = 1) {
  Value r = m.fma(n, m.f(-multiple * kLn2High), x);
  return m.fma(n, m.f(-multiple * kLn2Low), r);
}

/// exp and exp2 end with p * 2^n, where 2^n may not be representable: the result may be denormal, and n may be 128.
/// Here n is even, and p is multiplied twice by 2^(n/2), which is always a normal float; only the second multiplication
/// rounds. An even n doubles the range of the remainder, which takes one more coefficient; that is cheaper than
/// splitting an odd n. A scaling instruction of the target (vscalefps through llvm.ldexp) would save nothing, as it
/// needs an integer exponent first.
static Value scaleTwice(MathBuilder &m, Value r, ArrayRef<double> coefficients, Value scale) {
  Value p = m.fma(r, m.polynomial(r, coefficients), m.f(1.0));
  return m.mul(m.mul(p, scale), scale);
}

// At and beyond the bounds of the following functions, results are infinite or zero. At the lower bounds, n/2 is -127,
// whose power of two has the bits of zero, so that the product is an exact zero. Masked elements often have the
// argument -inf, and a product that underflows takes an x86 processor more than a hundred cycles.

Value tilewright::expandExp(MathBuilder &m, Operands x) {
  Value clamped = m.atLeast(m.atMost(x[0], m.f(89.0)), m.f(-176.1));
  auto [half, scale] = nearestPower(m, clamped, kLog2E / 2);
  return scaleTwice(m, subtractLn2(m, clamped, half, 2), kExp, scale);
}

Value tilewright::expandExp2(MathBuilder &m, Operands x) {
  Value clamped = m.atLeast(m.atMost(x[0], m.f(129.0)), m.f(-254.0));
  auto [half, scale] = nearestPower(m, clamped, 0.5);
  return scaleTwice(m, m.fma(half, m.f(-2.0), clamped), kExp2, scale);
}

/// exp(r) - 1 for |r| <= ln 2 / 2.
static Value expM1OfSmall(MathBuilder &m, Value r) { return m.fma(m.mul(r, r), m.polynomial(r, kExpHalf), r); }

Value tilewright::expOfModerate(MathBuilder &m, Value x) {
  if (m.hasExp) {
    return math::ExpOp::create(m.builder(), x);
  }
  auto [n, scale] = nearestPower(m, x, kLog2E);
  return m.fma(expM1OfSmall(m, subtractLn2(m, x, n)), scale, scale);
}

/// exp(x) - 1 = 2 * (2^(n-1) (exp(r) - 1) + 2^(n-1) - 1/2), which has no intermediate overflow for n = 128 and is
/// exactly exp(r) - 1 for n = 0.
Value tilewright::expandExpM1(MathBuilder &m, Operands x) {
  Value clamped = m.atLeast(m.atMost(x[0], m.f(89.0)), m.f(-18.0));
  auto [n, half] = nearestPower(m, clamped, kLog2E, /*shift=*/-1);
  Value small = expM1OfSmall(m, subtractLn2(m, clamped, n));
  Value sum = m.fma(small, half, m.sub(half, m.f(0.5)));
  // The computation loses the sign of a zero.
  return m.copysign(m.add(sum, sum), x[0]);
}
