// Conversions between floating point types that LLVM's IR has no operation for.

#include "Families.h"
#include "Formats.h"
#include "Slots.h"

namespace tilewright::emulator {

/// How a conversion treats negative numbers (Relu) and numbers that are out of range (SatFinite).
enum Variant { Plain = 0, Relu = 1, SatFinite = 2 };

template <const FloatFormat &to, Rounding rounding, int variant> static uint32_t convert(double value) {
  if ((variant & Relu) && bitCast<uint64_t>(value) >> 63 && value == value) {
    value = 0;
  }
  return encode(value, to, rounding, variant & SatFinite);
}

template <const FloatFormat &to, Rounding rounding, int variant>
static void fromFloat(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  out[0] = convert<to, rounding, variant>(toFloat(in[0]));
}

/// Two numbers, the first of which becomes the upper half.
template <const FloatFormat &to, Rounding rounding, int variant>
static void fromFloats(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  uint64_t upper = convert<to, rounding, variant>(toFloat(in[0]));
  out[0] = upper << to.bits() | convert<to, rounding, variant>(toFloat(in[1]));
}

/// Converts both halves of a register of `from`.
template <const FloatFormat &from, const FloatFormat &to, int variant>
static void fromPair(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  uint32_t pair = static_cast<uint32_t>(in[0]);
  uint64_t upper = convert<to, Rounding::NearestEven, variant>(decode(pair >> from.bits(), from));
  out[0] = upper << to.bits() | convert<to, Rounding::NearestEven, variant>(decode(pair, from));
}

/// The first number becomes the upper half of two halves of `width` bits.
template <const FloatFormat &to, int width>
static void packFloats(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  uint64_t upper = convert<to, Rounding::NearestEven, SatFinite>(toFloat(in[0]));
  out[0] = upper << width | convert<to, Rounding::NearestEven, SatFinite>(toFloat(in[1]));
}

template <const FloatFormat &from, int width>
static void unpackToHalves(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  uint64_t upper = encode(decode(static_cast<uint32_t>(in[0] >> width), from), kF16, Rounding::NearestEven);
  out[0] = upper << kF16.bits() | encode(decode(static_cast<uint32_t>(in[0]), from), kF16, Rounding::NearestEven);
}

/// An ue8m0 is the exponent of a power of two, from 2^-127 to 2^127; 255 is NaN. The sign is ignored.
template <bool roundsUp> static uint32_t toExponent(float value) {
  if (value != value) {
    return 0xff;
  }
  uint32_t bits = bitCast<uint32_t>(value) & 0x7fffffff;
  uint32_t exponent = bits >> 23, fraction = bits & 0x7fffff;
  // A subnormal float is less than 2^-126, and 2^-127 is the least result.
  bool isAbove = exponent == 0 ? fraction > 0x400000 : fraction != 0;
  exponent += roundsUp && isAbove;
  return exponent > 0xfe ? 0xfe : exponent;
}

template <bool roundsUp> static void toExponents(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  out[0] = toExponent<roundsUp>(toFloat(in[0])) << 8 | toExponent<roundsUp>(toFloat(in[1]));
}

/// A bf16 has the exponent's bits at the same place as a float; 2^-127 is subnormal.
static uint64_t fromExponent(uint64_t exponent) {
  return exponent == 0xff ? 0x7fff : exponent == 0 ? 0x40 : exponent << 7;
}

static void fromExponents(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  out[0] = fromExponent(in[0] >> 8 & 0xff) << 16 | fromExponent(in[0] & 0xff);
}

constexpr Rounding kRn = Rounding::NearestEven;
constexpr Rounding kRna = Rounding::NearestAway;
constexpr Rounding kRz = Rounding::TowardZero;

static constexpr Instruction row(const char *name, const char *intrinsic, Function function, const char *meaning) {
  return {name, intrinsic, function, InstructionClass::Conversion, meaning, "9.7.9.21 cvt"};
}

// Conversions to 8 bits always saturate, although LLVM's names do not say so.
static constexpr Instruction kConversionRows[] = {
    row("cvt.rna.tf32.f32", "llvm.nvvm.f2tf32.rna", fromFloat<kTF32, kRna, Plain>,
        "a float as a tf32, rounded to nearest, away from zero between two"),
    row("cvt.rna.satfinite.tf32.f32", "llvm.nvvm.f2tf32.rna.satfinite", fromFloat<kTF32, kRna, SatFinite>,
        "a float as a finite tf32, rounded to nearest, away from zero between two"),
    row("cvt.rn.tf32.f32", "llvm.nvvm.f2tf32.rn", fromFloat<kTF32, kRn, Plain>,
        "a float as a tf32, rounded to nearest even"),
    row("cvt.rn.relu.tf32.f32", "llvm.nvvm.f2tf32.rn.relu", fromFloat<kTF32, kRn, Relu>,
        "a float as a tf32, rounded to nearest even; negative ones as 0"),
    row("cvt.rz.tf32.f32", "llvm.nvvm.f2tf32.rz", fromFloat<kTF32, kRz, Plain>,
        "a float as a tf32, rounded toward zero"),
    row("cvt.rz.relu.tf32.f32", "llvm.nvvm.f2tf32.rz.relu", fromFloat<kTF32, kRz, Relu>,
        "a float as a tf32, rounded toward zero; negative ones as 0"),

    row("cvt.rn.satfinite.e4m3x2.f32", "llvm.nvvm.ff.to.e4m3x2.rn", fromFloats<kE4M3, kRn, SatFinite>,
        "two floats as finite e4m3, rounded to nearest even"),
    row("cvt.rn.satfinite.relu.e4m3x2.f32", "llvm.nvvm.ff.to.e4m3x2.rn.relu", fromFloats<kE4M3, kRn, SatFinite | Relu>,
        "two floats as finite e4m3, rounded to nearest even; negative ones as 0"),
    row("cvt.rn.satfinite.e5m2x2.f32", "llvm.nvvm.ff.to.e5m2x2.rn", fromFloats<kE5M2, kRn, SatFinite>,
        "two floats as finite e5m2, rounded to nearest even"),
    row("cvt.rn.satfinite.relu.e5m2x2.f32", "llvm.nvvm.ff.to.e5m2x2.rn.relu", fromFloats<kE5M2, kRn, SatFinite | Relu>,
        "two floats as finite e5m2, rounded to nearest even; negative ones as 0"),
    row("cvt.rn.satfinite.e4m3x2.f16x2", "llvm.nvvm.f16x2.to.e4m3x2.rn", fromPair<kF16, kE4M3, SatFinite>,
        "two halves as finite e4m3, rounded to nearest even"),
    row("cvt.rn.satfinite.relu.e4m3x2.f16x2", "llvm.nvvm.f16x2.to.e4m3x2.rn.relu",
        fromPair<kF16, kE4M3, SatFinite | Relu>,
        "two halves as finite e4m3, rounded to nearest even; negative ones as 0"),
    row("cvt.rn.satfinite.e5m2x2.f16x2", "llvm.nvvm.f16x2.to.e5m2x2.rn", fromPair<kF16, kE5M2, SatFinite>,
        "two halves as finite e5m2, rounded to nearest even"),
    row("cvt.rn.satfinite.relu.e5m2x2.f16x2", "llvm.nvvm.f16x2.to.e5m2x2.rn.relu",
        fromPair<kF16, kE5M2, SatFinite | Relu>,
        "two halves as finite e5m2, rounded to nearest even; negative ones as 0"),
    row("cvt.rn.f16x2.e4m3x2", "llvm.nvvm.e4m3x2.to.f16x2.rn", fromPair<kE4M3, kF16, Plain>,
        "two e4m3 as halves, which have all their numbers"),
    row("cvt.rn.relu.f16x2.e4m3x2", "llvm.nvvm.e4m3x2.to.f16x2.rn.relu", fromPair<kE4M3, kF16, Relu>,
        "two e4m3 as halves; negative ones as 0"),
    row("cvt.rn.f16x2.e5m2x2", "llvm.nvvm.e5m2x2.to.f16x2.rn", fromPair<kE5M2, kF16, Plain>,
        "two e5m2 as halves, which have all their numbers"),
    row("cvt.rn.relu.f16x2.e5m2x2", "llvm.nvvm.e5m2x2.to.f16x2.rn.relu", fromPair<kE5M2, kF16, Relu>,
        "two e5m2 as halves; negative ones as 0"),

    row("cvt.rn.satfinite.e2m1x2.f32", nullptr, packFloats<kE2M1, 4>,
        "two floats as e2m1 in one byte, rounded to nearest even"),
    row("cvt.rn.satfinite.e2m3x2.f32", nullptr, packFloats<kE2M3, 8>, "two floats as e2m3, rounded to nearest even"),
    row("cvt.rn.satfinite.e3m2x2.f32", nullptr, packFloats<kE3M2, 8>, "two floats as e3m2, rounded to nearest even"),
    row("cvt.rn.f16x2.e2m1x2", nullptr, unpackToHalves<kE2M1, 4>, "two e2m1 as halves, which have all their numbers"),
    row("cvt.rn.f16x2.e2m3x2", nullptr, unpackToHalves<kE2M3, 8>, "two e2m3 as halves, which have all their numbers"),
    row("cvt.rn.f16x2.e3m2x2", nullptr, unpackToHalves<kE3M2, 8>, "two e3m2 as halves, which have all their numbers"),
    row("cvt.rp.satfinite.ue8m0x2.f32", nullptr, toExponents<true>,
        "the powers of two that are not less than two floats, as ue8m0"),
    row("cvt.rz.satfinite.ue8m0x2.f32", nullptr, toExponents<false>,
        "the powers of two that are not greater than two floats, as ue8m0"),
    row("cvt.rn.bf16x2.ue8m0x2", nullptr, fromExponents, "two ue8m0 as bf16, which has all their numbers"),

    row("cvt.rn.bf16.f32", "llvm.nvvm.f2bf16.rn", fromFloat<kBF16, kRn, Plain>,
        "a float as a bf16, rounded to nearest even"),
    row("cvt.rn.relu.bf16.f32", "llvm.nvvm.f2bf16.rn.relu", fromFloat<kBF16, kRn, Relu>,
        "a float as a bf16, rounded to nearest even; a negative one as 0"),
    row("cvt.rz.bf16.f32", "llvm.nvvm.f2bf16.rz", fromFloat<kBF16, kRz, Plain>,
        "a float as a bf16, rounded toward zero"),
    row("cvt.rz.relu.bf16.f32", "llvm.nvvm.f2bf16.rz.relu", fromFloat<kBF16, kRz, Relu>,
        "a float as a bf16, rounded toward zero; a negative one as 0"),
    row("cvt.rn.bf16x2.f32", "llvm.nvvm.ff2bf16x2.rn", fromFloats<kBF16, kRn, Plain>,
        "two floats as bf16, rounded to nearest even"),
    row("cvt.rn.relu.bf16x2.f32", "llvm.nvvm.ff2bf16x2.rn.relu", fromFloats<kBF16, kRn, Relu>,
        "two floats as bf16, rounded to nearest even; negative ones as 0"),
    row("cvt.rz.bf16x2.f32", "llvm.nvvm.ff2bf16x2.rz", fromFloats<kBF16, kRz, Plain>,
        "two floats as bf16, rounded toward zero"),
    row("cvt.rz.relu.bf16x2.f32", "llvm.nvvm.ff2bf16x2.rz.relu", fromFloats<kBF16, kRz, Relu>,
        "two floats as bf16, rounded toward zero; negative ones as 0"),
    row("cvt.rn.f16.f32", "llvm.nvvm.f2f16.rn", fromFloat<kF16, kRn, Plain>,
        "a float as a half, rounded to nearest even"),
    row("cvt.rz.f16.f32", "llvm.nvvm.f2f16.rz", fromFloat<kF16, kRz, Plain>, "a float as a half, rounded toward zero"),
    row("cvt.rn.f16x2.f32", "llvm.nvvm.ff2f16x2.rn", fromFloats<kF16, kRn, Plain>,
        "two floats as halves, rounded to nearest even"),
    row("cvt.rn.relu.f16x2.f32", "llvm.nvvm.ff2f16x2.rn.relu", fromFloats<kF16, kRn, Relu>,
        "two floats as halves, rounded to nearest even; negative ones as 0"),
    row("cvt.rz.f16x2.f32", "llvm.nvvm.ff2f16x2.rz", fromFloats<kF16, kRz, Plain>,
        "two floats as halves, rounded toward zero"),
    row("cvt.rz.relu.f16x2.f32", "llvm.nvvm.ff2f16x2.rz.relu", fromFloats<kF16, kRz, Relu>,
        "two floats as halves, rounded toward zero; negative ones as 0"),
};
const Family kConversionInstructions = kConversionRows;

} // namespace tilewright::emulator
