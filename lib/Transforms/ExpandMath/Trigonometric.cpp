// sin and cos: x = q pi/2 + r with |r| <= pi/4, then a polynomial in r; q mod 4 determines which one and its sign.
//
// Up to |x| = 1e5, q has 16 bits, and pi/2 as a sum of three floats is precise enough. If any lane is larger, which is
// rare, a branch reduces it exactly with 96 bits of 2/pi (Payne and Hanek, "Radian reduction for trigonometric
// functions", SIGNUM Newsletter 1983), in integer vectors, without a table in memory and without a call.

#include "Expansions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {
// (sin(r) - r) / r^3 in r^2.
// On [0, 0.6169], error 2^-27.9.
constexpr double kSin[] = {-0.166666552, 0.00833218917, -0.000195182874};

// (cos(r) - 1 + r^2/2) / r^4 in r^2.
// On [0, 0.6169], error 2^-33.0.
constexpr double kCos[] = {0.0416666456, -0.00138873095, 2.44323273e-05};

constexpr double kTwoByPi = 0.6366197723675814;
constexpr double kHalfPi[] = {1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15};

// Nine zeros and then the binary digits of 2/pi: the first digit has the weight 2^8.
constexpr uint32_t kTwoByPiWords[] = {0x00517cc1, 0xb727220a, 0x94fe13ab, 0xe8fa9a6e,
                                      0xe06db14a, 0xcc9e21c8, 0x20ff28b1};

constexpr int64_t kOneExponent = 127, kMantissaBits = 23;
constexpr int64_t kFastLimit = 0x47c35000; // 1e5
constexpr int64_t kInfinityBits = 0x7f800000;

/// x = quadrant * pi/2 + remainder; only the lowest two bits of the quadrant matter.
struct Reduced {
  Value quadrant, remainder;
};
} // namespace

/// NaN and infinity give a remainder of NaN.
static Reduced reduceFast(MathBuilder &m, Value x) {
  constexpr double round = 12582912.0; // leaves the nearest integer in the low bits
  Value sum = m.fma(x, m.f(kTwoByPi), m.f(round));
  Value q = m.sub(sum, m.f(round));
  Value r = x;
  for (double part : kHalfPi) {
    r = m.fma(q, m.f(-part), r);
  }
  return {m.bits(sum), r};
}

/// 96 bits of 2/pi from the `first` digit on, as three words zero-extended to 64 bits. 0 <= first < 128.
static SmallVector<Value, 3> windowOfTwoByPi(MathBuilder &m, Value first) {
  Value word = m.lshr(first, 5), shift = m.iand(first, m.i(31));
  SmallVector<Value, 4> words;
  for (int offset = 0; offset < 4; ++offset) {
    Value chosen = m.i(kTwoByPiWords[offset + 3]);
    for (int index = 2; index >= 0; --index) {
      Value here = m.compare(arith::CmpIPredicate::eq, word, m.i(index));
      chosen = m.select(here, m.i(kTwoByPiWords[offset + index]), chosen);
    }
    words.push_back(chosen);
  }
  Value opposite = m.isub(m.i(31), shift);
  SmallVector<Value, 3> window;
  for (int offset = 0; offset < 3; ++offset) {
    // In two steps because a shift by 32 is undefined.
    Value low = m.lshr(m.lshr(words[offset + 1], 1), opposite);
    window.push_back(m.widenUnsigned(m.ior(m.shl(words[offset], shift), low)));
  }
  return window;
}

/// For 1e5 < |x| < infinity. |x| = mantissa * 2^e. Digits of 2/pi whose product with |x| is a multiple of 4 are
/// omitted; the rest gives |x| * 2/pi modulo 4 in units of 2^-62.
static Reduced reduceLarge(MathBuilder &m, Value x) {
  Value bits = m.bits(x);
  Value biased = m.iand(m.lshr(bits, kMantissaBits), m.i(0xff));
  Value mantissa = m.widenUnsigned(m.ior(m.iand(bits, m.i(0x7fffff)), m.i(0x800000)));
  // The first digit needed has the weight 2^(1 - e), and digit 0 has 2^8.
  Value first = m.isub(biased, m.i(kOneExponent + kMantissaBits - 7));
  auto window = windowOfTwoByPi(m, first);
  Value product = m.shl(m.imul(mantissa, window[0]), 32);
  product = m.iadd(product, m.imul(mantissa, window[1]));
  product = m.iadd(product, m.lshr(m.imul(mantissa, window[2]), 32));

  Value half = m.constant(m.i64(), int64_t(1) << 61);
  Value quadrant = m.narrowInteger(m.lshr(m.iadd(product, half), 62));
  // Without the two bits of the quadrant, the fraction is a signed number in units of 2^-64.
  constexpr double unit = 1.5707963267948966 * 0x1p-64;
  Value fraction = m.toFloat(m.f64(), m.shl(product, 2));
  Value remainder = m.narrow(m.mul(fraction, m.d(unit)));

  Value isNegative = m.compare(arith::CmpIPredicate::slt, bits, m.i(0));
  return {m.select(isNegative, m.isub(m.i(0), quadrant), quadrant), m.select(isNegative, m.neg(remainder), remainder)};
}

static Reduced reduce(MathBuilder &m, Value x) {
  Reduced fast = reduceFast(m, x);
  Value size = m.iand(m.bits(x), m.i(0x7fffffff));
  Value isLarge = m.compare(arith::CmpIPredicate::ult, m.isub(size, m.i(kFastLimit)), m.i(kInfinityBits - kFastLimit));
  ImplicitLocOpBuilder &b = m.builder();
  auto branch = scf::IfOp::create(b, TypeRange{m.i32(), m.f32()}, m.anyOf(isLarge), /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Reduced large = reduceLarge(m, x);
    scf::YieldOp::create(b, ValueRange{m.select(isLarge, large.quadrant, fast.quadrant),
                                       m.select(isLarge, large.remainder, fast.remainder)});
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, ValueRange{fast.quadrant, fast.remainder});
  }
  return {branch.getResult(0), branch.getResult(1)};
}

/// sin(x + quarters * pi/2).
static Value shiftedSine(MathBuilder &m, Value x, int quarters) {
  auto [quadrant, r] = reduce(m, x);
  if (quarters != 0) {
    quadrant = m.iadd(quadrant, m.i(quarters));
  }
  Value z = m.mul(r, r);
  Value sine = m.fma(m.mul(r, z), m.polynomial(z, kSin), r);
  Value cosine = m.fma(m.mul(z, z), m.polynomial(z, kCos), m.fma(z, m.f(-0.5), m.f(1.0)));
  Value isOdd = m.compare(arith::CmpIPredicate::ne, m.iand(quadrant, m.i(1)), m.i(0));
  Value chosen = m.select(isOdd, cosine, sine);
  Value sign = m.shl(m.iand(quadrant, m.i(2)), 30);
  return m.asFloat(m.ixor(m.bits(chosen), sign));
}

Value tilewright::expandSin(MathBuilder &m, Operands x) {
  // The polynomial loses the sign of a zero.
  return m.select(m.equal(x[0], m.f(0.0)), x[0], shiftedSine(m, x[0], 0));
}

Value tilewright::expandCos(MathBuilder &m, Operands x) { return shiftedSine(m, x[0], 1); }
