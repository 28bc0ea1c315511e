// sin and cos in double precision: as in Trigonometric.cpp, except that the remainder is a sum of two numbers, and
// large arguments are reduced with 192 bits of 2/pi.

#include "Expansions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {
// (sin(r) - r) / r^3 in r^2.
// On [0.0, 0.6169], error 2^-55.5.
constexpr double kSinDouble[] = {-0.16666666666666666,   0.008333333333330948,    -0.00019841269836756774,
                                 2.7557316101617874e-06, -2.5051131650235181e-08, 1.5918115263265974e-10};

// (cos(r) - 1 + r^2/2) / r^4 in r^2.
// On [0.0, 0.6169], error 2^-59.5.
constexpr double kCosDouble[] = {0.041666666666666664,    -0.0013888888888887398, 2.4801587298764561e-05,
                                 -2.7557317271145144e-07, 2.087614614655861e-09,  -1.1382623647474604e-11};

constexpr double kTwoByPi = 0.6366197723675814;
constexpr double kHalfPi[] = {1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33};

// A word of zeros and then the binary digits of 2/pi: the first digit has the weight 2^63.
constexpr uint64_t kTwoByPiWords[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                      0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
                                      0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                                      0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
                                      0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

constexpr int64_t kOneExponent = 1023, kMantissaBits = 52;
constexpr int64_t kFastLimit = 0x412e848000000000; // 1e6
constexpr int64_t kInfinityBits = 0x7ff0000000000000;

/// x = quadrant * pi/2 + high + low; only the lowest two bits of the i32 quadrant matter.
struct Reduced {
  Value quadrant, high, low;
};
} // namespace

static Value l(MathBuilder &m, uint64_t value) { return m.constant(m.i64(), static_cast<int64_t>(value)); }

/// The first subtraction is exact. Near a multiple of pi/2, the second subtraction cancels, so that the high part may
/// be far smaller than its operands: the second product is represented as the sum of two numbers, and the rounding
/// error of subtracting the larger one is computed exactly (Dekker). NaN and infinity give a remainder of NaN.
static Reduced reduceFast(MathBuilder &m, Value x) {
  constexpr double round = 6755399441055744.0; // leaves the nearest integer in the low bits
  Value sum = m.fma(x, m.d(kTwoByPi), m.d(round));
  Value q = m.sub(sum, m.d(round));
  Value first = m.fma(q, m.d(-kHalfPi[0]), x);
  Value product = m.mul(q, m.d(kHalfPi[1]));
  Value high = m.sub(first, product);
  Value lost = m.sub(m.sub(first, high), product);
  Value low = m.sub(lost, m.fma(q, m.d(kHalfPi[1]), m.neg(product)));
  return {m.narrowInteger(m.bits(sum)), high, m.fma(q, m.d(-kHalfPi[2]), low)};
}

/// 192 bits of 2/pi from the `first` digit on, as three words. 0 <= first < 1088; i64.
static SmallVector<Value, 4> windowOfTwoByPi(MathBuilder &m, Value first) {
  SmallVector<Value, 20> words;
  for (uint64_t word : kTwoByPiWords) {
    words.push_back(l(m, word));
  }
  // The index of the first word has five bits: each bit that is set shifts the words by its weight.
  for (int64_t bit = 4; bit >= 0; --bit) {
    size_t step = size_t(1) << bit, wanted = std::min(words.size(), step + 3);
    Value isSet = m.compare(arith::CmpIPredicate::ne, m.iand(first, l(m, step * 64)), l(m, 0));
    for (size_t i = 0; i < wanted; ++i) {
      words[i] = i + step < words.size() ? m.select(isSet, words[i + step], words[i]) : words[i];
    }
    words.truncate(wanted);
  }
  Value shift = m.iand(first, l(m, 63)), opposite = m.isub(l(m, 63), shift);
  SmallVector<Value, 4> window;
  for (int i = 0; i < 3; ++i) {
    // In two steps because a shift by 64 is undefined.
    Value low = m.lshr(m.lshr(words[i + 1], 1), opposite);
    window.push_back(m.ior(m.shl(words[i], shift), low));
  }
  return window;
}

/// |x| * 2/pi modulo 4 in units of 2^-126, as two words.
static std::pair<Value, Value> multiplyByTwoByPi(MathBuilder &m, Value bits) {
  Value biased = m.lshr(m.iand(bits, l(m, INT64_MAX)), kMantissaBits);
  Value mantissa = m.ior(m.iand(bits, l(m, (uint64_t(1) << kMantissaBits) - 1)), l(m, uint64_t(1) << kMantissaBits));
  // |x| = mantissa * 2^e. The first digit needed has the weight 2^(1 - e), and digit 0 has 2^63.
  Value first = m.isub(biased, l(m, kOneExponent + kMantissaBits - 62));
  auto window = windowOfTwoByPi(m, first);
  auto middle = arith::MulUIExtendedOp::create(m.builder(), mantissa, window[1]);
  auto last = arith::MulUIExtendedOp::create(m.builder(), mantissa, window[2]);
  Value low = m.iadd(middle.getLow(), last.getHigh());
  Value carries = m.compare(arith::CmpIPredicate::ult, low, last.getHigh());
  Value high = m.iadd(m.imul(mantissa, window[0]), middle.getHigh());
  return {m.iadd(high, m.select(carries, l(m, 1), l(m, 0))), low};
}

/// The halves of a 64-bit word as f64, exactly.
static Value upperHalf(MathBuilder &m, Value x) { return m.toFloat(m.f64(), m.narrowInteger(m.ashr(x, 32))); }
static Value lowerHalf(MathBuilder &m, Value x) { return m.toFloat(m.f64(), m.iand(x, l(m, 0xffffffff))); }

/// For 1e6 < |x| < infinity.
static Reduced reduceLarge(MathBuilder &m, Value x) {
  Value bits = m.bits(x);
  auto [word, rest] = multiplyByTwoByPi(m, bits);
  Value quadrant = m.narrowInteger(m.lshr(m.iadd(word, l(m, uint64_t(1) << 61)), 62));
  // Without the two bits of the quadrant, the fraction is a signed number in units of 2^-128.
  Value upper = m.ior(m.shl(word, 2), m.lshr(rest, 62)), lower = m.shl(rest, 2);
  Value a = m.mul(upperHalf(m, upper), m.d(0x1p-32));
  Value sum = m.fma(lowerHalf(m, upper), m.d(0x1p-64), a);
  Value lost = m.fma(lowerHalf(m, upper), m.d(0x1p-64), m.sub(a, sum));
  Value small = m.fma(lowerHalf(m, lower), m.d(0x1p-128), m.mul(lowerHalf(m, m.lshr(lower, 32)), m.d(0x1p-96)));
  small = m.add(lost, small);
  Value fraction = m.add(sum, small), tail = m.add(m.sub(sum, fraction), small);

  Value high = m.mul(fraction, m.d(kHalfPi[0]));
  Value low = m.fma(fraction, m.d(kHalfPi[0]), m.neg(high));
  low = m.fma(tail, m.d(kHalfPi[0]), m.fma(fraction, m.d(kHalfPi[1]), low));
  Value isNegative = m.compare(arith::CmpIPredicate::slt, bits, l(m, 0));
  auto negate = [&](Value value) { return m.select(isNegative, m.neg(value), value); };
  return {m.select(isNegative, m.isub(m.i(0), quadrant), quadrant), negate(high), negate(low)};
}

static Reduced reduce(MathBuilder &m, Value x) {
  Reduced fast = reduceFast(m, x);
  Value size = m.iand(m.bits(x), l(m, INT64_MAX));
  Value isLarge =
      m.compare(arith::CmpIPredicate::ult, m.isub(size, l(m, kFastLimit)), l(m, kInfinityBits - kFastLimit));
  ImplicitLocOpBuilder &b = m.builder();
  auto branch = scf::IfOp::create(b, TypeRange{m.i32(), m.f64(), m.f64()}, m.anyOf(isLarge), /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Reduced large = reduceLarge(m, x);
    scf::YieldOp::create(b,
                         ValueRange{m.select(isLarge, large.quadrant, fast.quadrant),
                                    m.select(isLarge, large.high, fast.high), m.select(isLarge, large.low, fast.low)});
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, ValueRange{fast.quadrant, fast.high, fast.low});
  }
  return {branch.getResult(0), branch.getResult(1), branch.getResult(2)};
}

/// sin(x + quarters * pi/2).
static Value shiftedSine(MathBuilder &m, Value x, int quarters) {
  auto [quadrant, r, low] = reduce(m, x);
  if (quarters != 0) {
    quadrant = m.iadd(quadrant, m.i(quarters));
  }
  Value z = m.mul(r, r);
  Value sine = m.add(r, m.fma(m.mul(r, z), m.polynomial(z, kSinDouble), low));
  // 1 - z/2, its rounding error, and the rest of the series.
  Value one = m.d(1.0), lead = m.fma(z, m.d(-0.5), one);
  Value lost = m.fma(z, m.d(-0.5), m.sub(one, lead));
  Value rest = m.fma(m.mul(z, z), m.polynomial(z, kCosDouble), m.fma(m.neg(r), low, lost));
  Value cosine = m.add(lead, rest);
  Value isOdd = m.compare(arith::CmpIPredicate::ne, m.iand(quadrant, m.i(1)), m.i(0));
  Value chosen = m.select(isOdd, cosine, sine);
  Value sign = m.shl(m.widenUnsigned(m.iand(quadrant, m.i(2))), 62);
  return m.asFloat(m.ixor(m.bits(chosen), sign));
}

Value tilewright::expandSinDouble(MathBuilder &m, Operands x) {
  // The polynomial loses the sign of a zero.
  return m.select(m.equal(x[0], m.d(0.0)), x[0], shiftedSine(m, x[0], 0));
}

Value tilewright::expandCosDouble(MathBuilder &m, Operands x) { return shiftedSine(m, x[0], 1); }
