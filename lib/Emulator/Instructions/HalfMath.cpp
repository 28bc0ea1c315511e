// Arithmetic on f16 and bf16, and on pairs of them, as inline assembly uses it. It is computed in double precision, and
// rounded once to nearest even.

#include "Families.h"
#include "Formats.h"
#include "Slots.h"

#include <cmath>
#include <utility>

namespace tilewright::emulator {
namespace {

/// a * b + c, rounded to odd: if the result is inexact, its last bit is set. Products of two 16-bit floats are exact in
/// double precision, but sums are not, and rounding them to nearest twice would be wrong. A result that is rounded to
/// odd has more than two bits more than a 16-bit float, so that rounding it again gives the nearest.
double multiplyAdd(double a, double b, double c) {
  double product = a * b, sum = product + c;
  if (!std::isfinite(sum)) {
    return sum;
  }
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  bool isEven = (bitCast<uint64_t>(sum) & 1) == 0;
  return error != 0 && isEven ? std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL) : sum;
}

double add(double a, double b) { return multiplyAdd(a, 1, b); }
double subtract(double a, double b) { return multiplyAdd(a, 1, -b); }
double multiply(double a, double b) { return a * b; }

/// Minus zero is less than zero.
double least(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) ? b : a;
  }
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
double most(double a, double b) { return -least(-a, -b); }
double leastOrNan(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : least(a, b); }
double mostOrNan(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : most(a, b); }
double rectifiedMultiplyAdd(double a, double b, double c) {
  double result = multiplyAdd(a, b, c);
  return result < 0 || result == 0 ? 0 : result;
}

double negative(double a) { return -a; }
double magnitude(double a) { return std::fabs(a); }
double power2(double a) { return std::exp2(a); }
/// The smallest normal bf16 is that of a float.
double flushedPower2(double a) {
  double result = std::exp2(std::fabs(a) < 0x1p-126 ? 0 : a);
  return result < 0x1p-126 ? 0 : result;
}
double hyperbolicTangent(double a) { return std::tanh(a); }

/// Applies a function to each of the `count` numbers in the operands.
template <const FloatFormat &format, int count, auto function, size_t... operand>
void applyTo(const uint64_t *in, uint64_t *out, std::index_sequence<operand...>) {
  out[0] = 0;
  for (int i = 0; i < count; ++i) {
    int shift = i * format.bits();
    double value = function(decode(static_cast<uint32_t>(in[operand] >> shift), format)...);
    out[0] |= uint64_t(encode(value, format, Rounding::NearestEven)) << shift;
  }
}

template <const FloatFormat &format, int count, int operands, auto function>
void apply(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  applyTo<format, count, function>(in, out, std::make_index_sequence<operands>());
}

constexpr Instruction row(const char *name, Function function, InstructionClass kind, const char *meaning,
                          const char *source) {
  return {name, nullptr, function, kind, meaning, source};
}

} // namespace

/// The rows of one type; `format` is its format, and `count` the numbers that a register has.
#define TILEWRIGHT_HALF_ROWS(type, format, count)                                                                      \
  row("add." type, apply<format, count, 2, add>, InstructionClass::Float, "the sum", "9.7.4.1 add"),                   \
      row("sub." type, apply<format, count, 2, subtract>, InstructionClass::Float, "the difference", "9.7.4.2 sub"),   \
      row("mul." type, apply<format, count, 2, multiply>, InstructionClass::Float, "the product", "9.7.4.3 mul"),      \
      row("fma.rn." type, apply<format, count, 3, multiplyAdd>, InstructionClass::Float, "a * b + c, rounded once",    \
          "9.7.4.4 fma"),                                                                                              \
      row("fma.rn.relu." type, apply<format, count, 3, rectifiedMultiplyAdd>, InstructionClass::Float,                 \
          "a * b + c, rounded once; negative ones as 0", "9.7.4.4 fma"),                                               \
      row("neg." type, apply<format, count, 1, negative>, InstructionClass::Float, "the negated number",               \
          "9.7.4.5 neg"),                                                                                              \
      row("abs." type, apply<format, count, 1, magnitude>, InstructionClass::Float, "the absolute value",              \
          "9.7.4.6 abs"),                                                                                              \
      row("min." type, apply<format, count, 2, least>, InstructionClass::Float, "the lesser number that is not NaN",   \
          "9.7.4.7 min"),                                                                                              \
      row("min.NaN." type, apply<format, count, 2, leastOrNan>, InstructionClass::Float, "the lesser number, or NaN",  \
          "9.7.4.7 min"),                                                                                              \
      row("max." type, apply<format, count, 2, most>, InstructionClass::Float, "the greater number that is not NaN",   \
          "9.7.4.8 max"),                                                                                              \
      row("max.NaN." type, apply<format, count, 2, mostOrNan>, InstructionClass::Float, "the greater number, or NaN",  \
          "9.7.4.8 max"),                                                                                              \
      row("tanh.approx." type, apply<format, count, 1, hyperbolicTangent>, InstructionClass::Special,                  \
          "the hyperbolic tangent, approximately", "9.7.4.9 tanh")

static constexpr Instruction kHalfMathRows[] = {
    TILEWRIGHT_HALF_ROWS("f16", kF16, 1),
    TILEWRIGHT_HALF_ROWS("f16x2", kF16, 2),
    TILEWRIGHT_HALF_ROWS("bf16", kBF16, 1),
    TILEWRIGHT_HALF_ROWS("bf16x2", kBF16, 2),
    row("ex2.approx.f16", apply<kF16, 1, 1, power2>, InstructionClass::Special,
        "2 to the power of the operand, approximately", "9.7.4.10 ex2"),
    row("ex2.approx.f16x2", apply<kF16, 2, 1, power2>, InstructionClass::Special,
        "2 to the power of the operand, approximately", "9.7.4.10 ex2"),
    row("ex2.approx.ftz.bf16", apply<kBF16, 1, 1, flushedPower2>, InstructionClass::Special,
        "2 to the power of the operand, approximately, without subnormal numbers", "9.7.4.10 ex2"),
    row("ex2.approx.ftz.bf16x2", apply<kBF16, 2, 1, flushedPower2>, InstructionClass::Special,
        "2 to the power of the operand, approximately, without subnormal numbers", "9.7.4.10 ex2"),
};
#undef TILEWRIGHT_HALF_ROWS
const Family kHalfMathInstructions = kHalfMathRows;

} // namespace tilewright::emulator
