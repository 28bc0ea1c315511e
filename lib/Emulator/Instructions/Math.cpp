// Mathematical functions: the correctly rounded ones, and approximations.
//
// The emulator computes approximations as the exact value rounded to nearest, which is within the error that PTX
// allows; the hardware's last bits may differ. The results for zeros, infinities and NaN are those of the PTX ISA's
// tables.

#include "Families.h"
#include "Slots.h"

#include <algorithm>
#include <cmath>

namespace tilewright::emulator {

enum Subnormals { Keep, Flush };

/// A function of one float, computed in double precision. It flushes subnormal operands and results, or keeps them.
template <double (*function)(double), Subnormals subnormals>
static void unary(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  float a = toFloat(in[0]);
  float result = static_cast<float>(function(subnormals == Flush ? flush(a) : a));
  out[0] = toSlot(subnormals == Flush ? flush(result) : result);
}

template <float (*function)(float, float), Subnormals subnormals>
static void binary(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  float a = toFloat(in[0]), b = toFloat(in[1]);
  if (subnormals == Flush) {
    out[0] = toSlot(flush(function(flush(a), flush(b))));
  } else {
    out[0] = toSlot(function(a, b));
  }
}

template <double (*function)(double)> static void unaryDouble(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  out[0] = toSlot(function(toDouble(in[0])));
}

static double power2(double a) { return std::exp2(a); }
static double logarithm2(double a) { return a == 0 ? -HUGE_VAL : std::log2(a); }
static double squareRoot(double a) { return std::sqrt(a); }
static double reciprocal(double a) { return 1 / a; }
static double reciprocalRoot(double a) { return 1 / std::sqrt(a); }
static double sine(double a) { return std::sin(a); }
static double cosine(double a) { return std::cos(a); }
static double hyperbolicTangent(double a) { return std::tanh(a); }

static float divide(float a, float b) { return a / b; }

/// PTX: a times the reciprocal of b, which is zero if the magnitude of b is above 2^126.
static float divideByReciprocal(float a, float b) {
  if (std::fabs(b) > 0x1p126f && std::isfinite(b)) {
    return a * std::copysign(0.0f, b);
  }
  return a / b;
}

/// Clamps to [0, 1]. NaN becomes +0.
static float saturate(float value) { return value > 0 ? std::min(value, 1.0f) : 0.0f; }

/// The extreme of the magnitudes, with the product of the signs; NaN if an operand is.
template <const float &(*extreme)(const float &, const float &)>
static void extremeMagnitude(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  float a = toFloat(in[0]), b = toFloat(in[1]);
  float magnitude = extreme(std::fabs(a), std::fabs(b));
  bool isNegative = std::signbit(a) != std::signbit(b);
  bool isNaN = std::isnan(a) || std::isnan(b);
  out[0] = toSlot(isNaN ? NAN : isNegative ? -magnitude : magnitude);
}

template <bool saturates, Subnormals subnormals>
static void fusedMultiplyAdd(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  float operands[3] = {toFloat(in[0]), toFloat(in[1]), toFloat(in[2])};
  if (subnormals == Flush) {
    std::transform(operands, operands + 3, operands, flush);
  }
  float result = std::fma(operands[0], operands[1], operands[2]);
  if (subnormals == Flush) {
    result = flush(result);
  }
  out[0] = toSlot(saturates ? saturate(result) : result);
}

static void fusedMultiplyAddDouble(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  out[0] = toSlot(std::fma(toDouble(in[0]), toDouble(in[1]), toDouble(in[2])));
}

static void divideDouble(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  out[0] = toSlot(toDouble(in[0]) / toDouble(in[1]));
}

// The .rn functions are correctly rounded. A double has more than twice a float's precision, so that rounding a square
// root, reciprocal or quotient first to a double and then to a float gives the same result.
static constexpr Instruction kMathRows[] = {
    {"ex2.approx.f32", "llvm.nvvm.ex2.approx.f32", unary<power2, Keep>, InstructionClass::Special,
     "2 to the power of the operand, approximately", "9.7.3.21 ex2"},
    {"ex2.approx.ftz.f32", "llvm.nvvm.ex2.approx.ftz.f32", unary<power2, Flush>, InstructionClass::Special,
     "2 to the power of the operand, approximately, without subnormal numbers", "9.7.3.21 ex2"},
    {"lg2.approx.f32", "llvm.nvvm.lg2.approx.f", unary<logarithm2, Keep>, InstructionClass::Special,
     "the logarithm to base 2, approximately", "9.7.3.20 lg2"},
    {"lg2.approx.ftz.f32", "llvm.nvvm.lg2.approx.ftz.f", unary<logarithm2, Flush>, InstructionClass::Special,
     "the logarithm to base 2, approximately, without subnormal numbers", "9.7.3.20 lg2"},
    {"sin.approx.f32", "llvm.nvvm.sin.approx.f", unary<sine, Keep>, InstructionClass::Special,
     "the sine of an angle in radians, approximately", "9.7.3.18 sin"},
    {"sin.approx.ftz.f32", "llvm.nvvm.sin.approx.ftz.f", unary<sine, Flush>, InstructionClass::Special,
     "the sine of an angle in radians, approximately, without subnormal numbers", "9.7.3.18 sin"},
    {"cos.approx.f32", "llvm.nvvm.cos.approx.f", unary<cosine, Keep>, InstructionClass::Special,
     "the cosine of an angle in radians, approximately", "9.7.3.19 cos"},
    {"cos.approx.ftz.f32", "llvm.nvvm.cos.approx.ftz.f", unary<cosine, Flush>, InstructionClass::Special,
     "the cosine of an angle in radians, approximately, without subnormal numbers", "9.7.3.19 cos"},
    {"tanh.approx.f32", nullptr, unary<hyperbolicTangent, Keep>, InstructionClass::Special,
     "the hyperbolic tangent, approximately", "9.7.3.22 tanh"},

    {"sqrt.approx.f32", "llvm.nvvm.sqrt.approx.f", unary<squareRoot, Keep>, InstructionClass::Special,
     "the square root, approximately", "9.7.3.15 sqrt"},
    {"sqrt.approx.ftz.f32", "llvm.nvvm.sqrt.approx.ftz.f", unary<squareRoot, Flush>, InstructionClass::Special,
     "the square root, approximately, without subnormal numbers", "9.7.3.15 sqrt"},
    {"sqrt.rn.f32", "llvm.nvvm.sqrt.rn.f", unary<squareRoot, Keep>, InstructionClass::Float,
     "the square root, rounded to nearest even", "9.7.3.15 sqrt"},
    {"sqrt.rn.ftz.f32", "llvm.nvvm.sqrt.rn.ftz.f", unary<squareRoot, Flush>, InstructionClass::Float,
     "the square root, rounded to nearest even, without subnormal numbers", "9.7.3.15 sqrt"},
    {"sqrt.rn.f64", "llvm.nvvm.sqrt.rn.d", unaryDouble<squareRoot>, InstructionClass::Float,
     "the square root, rounded to nearest even", "9.7.3.15 sqrt"},
    {"rsqrt.approx.f32", "llvm.nvvm.rsqrt.approx.f", unary<reciprocalRoot, Keep>, InstructionClass::Special,
     "the reciprocal of the square root, approximately", "9.7.3.16 rsqrt"},
    {"rsqrt.approx.ftz.f32", "llvm.nvvm.rsqrt.approx.ftz.f", unary<reciprocalRoot, Flush>, InstructionClass::Special,
     "the reciprocal of the square root, approximately, without subnormal numbers", "9.7.3.16 rsqrt"},
    {"rsqrt.approx.f64", "llvm.nvvm.rsqrt.approx.d", unaryDouble<reciprocalRoot>, InstructionClass::Special,
     "the reciprocal of the square root, approximately", "9.7.3.16 rsqrt"},
    {"rcp.approx.ftz.f32", "llvm.nvvm.rcp.approx.ftz.f", unary<reciprocal, Flush>, InstructionClass::Special,
     "the reciprocal, approximately, without subnormal numbers", "9.7.3.13 rcp"},
    {"rcp.rn.f32", "llvm.nvvm.rcp.rn.f", unary<reciprocal, Keep>, InstructionClass::Float,
     "the reciprocal, rounded to nearest even", "9.7.3.13 rcp"},
    {"rcp.rn.ftz.f32", "llvm.nvvm.rcp.rn.ftz.f", unary<reciprocal, Flush>, InstructionClass::Float,
     "the reciprocal, rounded to nearest even, without subnormal numbers", "9.7.3.13 rcp"},
    {"rcp.rn.f64", "llvm.nvvm.rcp.rn.d", unaryDouble<reciprocal>, InstructionClass::Float,
     "the reciprocal, rounded to nearest even", "9.7.3.13 rcp"},

    {"div.full.f32", "llvm.nvvm.div.full", binary<divide, Keep>, InstructionClass::Special,
     "the quotient, approximately, of all operands", "9.7.3.8 div"},
    {"div.full.ftz.f32", "llvm.nvvm.div.full.ftz", binary<divide, Flush>, InstructionClass::Special,
     "the quotient, approximately, of all operands, without subnormal numbers", "9.7.3.8 div"},
    {"div.approx.f32", "llvm.nvvm.div.approx.f", binary<divideByReciprocal, Keep>, InstructionClass::Special,
     "the dividend times the approximate reciprocal of the divisor, which is 0 above 2^126", "9.7.3.8 div"},
    {"div.approx.ftz.f32", "llvm.nvvm.div.approx.ftz.f", binary<divideByReciprocal, Flush>, InstructionClass::Special,
     "the dividend times the approximate reciprocal of the divisor, which is 0 above 2^126, without subnormal numbers",
     "9.7.3.8 div"},
    {"div.rn.f32", "llvm.nvvm.div.rn.f", binary<divide, Keep>, InstructionClass::Float,
     "the quotient, rounded to nearest even", "9.7.3.8 div"},
    {"div.rn.ftz.f32", "llvm.nvvm.div.rn.ftz.f", binary<divide, Flush>, InstructionClass::Float,
     "the quotient, rounded to nearest even, without subnormal numbers", "9.7.3.8 div"},
    {"div.rn.f64", "llvm.nvvm.div.rn.d", divideDouble, InstructionClass::Float, "the quotient, rounded to nearest even",
     "9.7.3.8 div"},

    {"fma.rn.f32", "llvm.nvvm.fma.rn.f", fusedMultiplyAdd<false, Keep>, InstructionClass::Float,
     "a * b + c, rounded once to nearest even", "9.7.3.6 fma"},
    {"fma.rn.ftz.f32", "llvm.nvvm.fma.rn.ftz.f", fusedMultiplyAdd<false, Flush>, InstructionClass::Float,
     "a * b + c, rounded once to nearest even, without subnormal numbers", "9.7.3.6 fma"},
    {"fma.rn.sat.f32", "llvm.nvvm.fma.rn.sat.f", fusedMultiplyAdd<true, Keep>, InstructionClass::Float,
     "a * b + c, rounded once to nearest even, then clamped to [0, 1]; NaN becomes +0", "9.7.3.6 fma"},
    {"fma.rn.ftz.sat.f32", "llvm.nvvm.fma.rn.ftz.sat.f", fusedMultiplyAdd<true, Flush>, InstructionClass::Float,
     "a * b + c, rounded once to nearest even, clamped to [0, 1], without subnormal numbers; NaN becomes +0",
     "9.7.3.6 fma"},
    {"min.NaN.xorsign.abs.f32", nullptr, extremeMagnitude<std::min<float>>, InstructionClass::Float,
     "the lesser magnitude, or NaN; its sign is that of the product", "9.7.3.11 min"},
    {"max.NaN.xorsign.abs.f32", nullptr, extremeMagnitude<std::max<float>>, InstructionClass::Float,
     "the greater magnitude, or NaN; its sign is that of the product", "9.7.3.12 max"},

    {"fma.rn.f64", "llvm.nvvm.fma.rn.d", fusedMultiplyAddDouble, InstructionClass::Float,
     "a * b + c, rounded once to nearest even", "9.7.3.6 fma"},
};
const Family kMathInstructions = kMathRows;

} // namespace tilewright::emulator
