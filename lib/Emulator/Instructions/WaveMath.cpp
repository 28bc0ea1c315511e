// Mathematical functions of AMD's GPUs.
//
// As for NVIDIA's (Math.cpp), an approximation is the exact value rounded to nearest, which is within the documented
// error of one unit in the last place; the hardware's last bits may differ. The single precision instructions take
// denormal operands for zeros and flush denormal results, whatever the mode; those of half precision keep them.

#include "Families.h"
#include "Slots.h"

#include "tilewright/Runtime/Host/HalfConversion.h"

#include <algorithm>
#include <cfenv>
#include <cmath>

namespace tilewright::emulator {
namespace {

using Real = double (*)(double);

template <Real function> void single(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  out[0] = toSlot(flush(static_cast<float>(function(flush(toFloat(in[0]))))));
}

/// The result in double precision is far enough from a tie that rounding twice gives the same.
template <Real function> void half(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  out[0] = runtime::toHalf(function(runtime::fromHalf(static_cast<uint16_t>(in[0]))));
}

template <Real function> void real(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  out[0] = toSlot(function(toDouble(in[0])));
}

constexpr double kTurn = 6.283185307179586;

double power2(double a) { return std::exp2(a); }
double logarithm2(double a) { return a == 0 ? -HUGE_VAL : std::log2(a); }
double squareRoot(double a) { return std::sqrt(a); }
double reciprocal(double a) { return 1 / a; }
double reciprocalRoot(double a) { return 1 / std::sqrt(a); }
// The operand counts turns. Whole turns are taken off first, which is exact.
double sine(double a) { return std::sin(kTurn * std::remainder(a, 1.0)); }
double cosine(double a) { return std::cos(kTurn * std::remainder(a, 1.0)); }

/// Below one, also for a tiny negative operand, whose sum with one would round to it.
template <typename T> T fractionOf(T a) { return std::min(a - std::floor(a), std::nextafter(T(1), T(0))); }

void fraction(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  float a = toFloat(in[0]);
  out[0] = toSlot(std::isfinite(a) ? fractionOf(a) : NAN);
}

/// The middle one of three; the least of the others if one is NaN.
float medianOf(float a, float b, float c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c)) {
    return std::fmin(std::fmin(a, b), c);
  }
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

void median(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  out[0] = toSlot(medianOf(toFloat(in[0]), toFloat(in[1]), toFloat(in[2])));
}

void medianOfHalves(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  auto at = [&](int index) { return runtime::fromHalf(static_cast<uint16_t>(in[index])); };
  out[0] = runtime::toHalf(double(medianOf(at(0), at(1), at(2))));
}

/// The closest half whose magnitude is not greater: nearest, and one step back if that was up.
uint16_t towardZero(float value) {
  uint16_t nearest = runtime::toHalf(double(value));
  bool isAbove = std::fabs(double(runtime::fromHalf(nearest))) > std::fabs(double(value));
  return isAbove && !std::isnan(value) ? nearest - 1 : nearest;
}

void packHalves(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  out[0] = uint32_t(towardZero(toFloat(in[1]))) << 16 | towardZero(toFloat(in[0]));
}

constexpr const char *kVop1 = "CDNA 3 ISA, 12.8 VOP1";

constexpr Instruction special(const char *name, const char *intrinsic, Function function, const char *meaning) {
  return {name, intrinsic, function, InstructionClass::Special, meaning, kVop1};
}

} // namespace

static constexpr Instruction kRows[] = {
    special("v_exp_f32", "llvm.amdgcn.exp2.f32", single<power2>, "two to the power of the operand"),
    special("v_exp_f16", "llvm.amdgcn.exp2.f16", half<power2>, "two to the power of the operand"),
    special("v_log_f32", "llvm.amdgcn.log.f32", single<logarithm2>, "the logarithm of base two"),
    special("v_log_f16", "llvm.amdgcn.log.f16", half<logarithm2>, "the logarithm of base two"),
    special("v_rcp_f32", "llvm.amdgcn.rcp.f32", single<reciprocal>, "the reciprocal"),
    special("v_rcp_f16", "llvm.amdgcn.rcp.f16", half<reciprocal>, "the reciprocal"),
    special("v_rcp_f64", "llvm.amdgcn.rcp.f64", real<reciprocal>,
            "the reciprocal; the hardware's has fewer correct bits"),
    special("v_rsq_f32", "llvm.amdgcn.rsq.f32", single<reciprocalRoot>, "the reciprocal of the square root"),
    special("v_rsq_f16", "llvm.amdgcn.rsq.f16", half<reciprocalRoot>, "the reciprocal of the square root"),
    special("v_rsq_f64", "llvm.amdgcn.rsq.f64", real<reciprocalRoot>,
            "the reciprocal of the square root; the hardware's has fewer correct bits"),
    special("v_sqrt_f32", "llvm.amdgcn.sqrt.f32", single<squareRoot>, "the square root"),
    special("v_sqrt_f16", "llvm.amdgcn.sqrt.f16", half<squareRoot>, "the square root"),
    special("v_sin_f32", "llvm.amdgcn.sin.f32", single<sine>, "the sine of a number of turns"),
    special("v_cos_f32", "llvm.amdgcn.cos.f32", single<cosine>, "the cosine of a number of turns"),
    {"v_fract_f32", "llvm.amdgcn.fract.f32", fraction, InstructionClass::Float,
     "what the operand is above the next lower integer", kVop1},
    {"v_med3_f32", "llvm.amdgcn.fmed3.f32", median, InstructionClass::Float, "the middle one of three floats",
     "CDNA 3 ISA, 12.11 VOP3"},
    {"v_med3_f16", "llvm.amdgcn.fmed3.f16", medianOfHalves, InstructionClass::Float, "the middle one of three halves",
     "CDNA 3 ISA, 12.11 VOP3"},
    {"v_cvt_pkrtz_f16_f32", "llvm.amdgcn.cvt.pkrtz", packHalves, InstructionClass::Conversion,
     "two halves, rounded toward zero", "CDNA 3 ISA, 12.11 VOP3"},
};
const Family kWaveMathInstructions = kRows;

} // namespace tilewright::emulator
