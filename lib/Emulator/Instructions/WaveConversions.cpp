// Conversions of 8-bit floats by AMD's GPUs.
//
// Each converts two numbers; an operand selects the lower or upper half of the word of bytes. Numbers are rounded to
// nearest even. Those out of range become NaN, or infinity if the format has it: the mode in which they saturate
// (FP16_OVFL) is off. On gfx942 the formats are those without infinity and negative zero.

#include "Families.h"
#include "Formats.h"
#include "Slots.h"

namespace tilewright::emulator {
namespace {

template <const FloatFormat &from> void toFloats(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  uint32_t pair = static_cast<uint32_t>(in[0]) >> (in[1] & 1 ? 16 : 0);
  auto single = [](uint32_t bits) { return toSlot(static_cast<float>(decode(bits & 0xff, from))); };
  out[0] = single(pair >> 8) << 32 | single(pair);
}

/// The other half of the word keeps the bits of operand 2.
template <const FloatFormat &to> void fromFloats(Thread &, int32_t, const uint64_t *in, uint64_t *out) {
  uint32_t pair = encode(toFloat(in[1]), to, Rounding::NearestEven) << 8;
  pair |= encode(toFloat(in[0]), to, Rounding::NearestEven);
  auto old = static_cast<uint32_t>(in[2]);
  out[0] = in[3] & 1 ? (pair << 16 | (old & 0xffff)) : ((old & 0xffff0000) | pair);
}

constexpr Instruction row(const char *name, const char *intrinsic, Function function, const char *meaning) {
  return {name, intrinsic, function, InstructionClass::Conversion, meaning, "CDNA 3 ISA, 12.8 VOP1 and 12.11 VOP3"};
}

constexpr Instruction kRows[] = {
    row("v_cvt_pk_f32_fp8", "llvm.amdgcn.cvt.pk.f32.fp8", toFloats<kE4M3>, "two e4m3 as floats"),
    row("v_cvt_pk_f32_bf8", "llvm.amdgcn.cvt.pk.f32.bf8", toFloats<kE5M2>, "two e5m2 as floats"),
    row("v_cvt_pk_f32_fp8.fnuz", "llvm.amdgcn.cvt.pk.f32.fp8.fnuz", toFloats<kE4M3Fnuz>, "two e4m3fnuz as floats"),
    row("v_cvt_pk_f32_bf8.fnuz", "llvm.amdgcn.cvt.pk.f32.bf8.fnuz", toFloats<kE5M2Fnuz>, "two e5m2fnuz as floats"),
    row("v_cvt_pk_fp8_f32", "llvm.amdgcn.cvt.pk.fp8.f32", fromFloats<kE4M3>, "two floats as e4m3"),
    row("v_cvt_pk_bf8_f32", "llvm.amdgcn.cvt.pk.bf8.f32", fromFloats<kE5M2>, "two floats as e5m2"),
    row("v_cvt_pk_fp8_f32.fnuz", "llvm.amdgcn.cvt.pk.fp8.f32.fnuz", fromFloats<kE4M3Fnuz>, "two floats as e4m3fnuz"),
    row("v_cvt_pk_bf8_f32.fnuz", "llvm.amdgcn.cvt.pk.bf8.f32.fnuz", fromFloats<kE5M2Fnuz>, "two floats as e5m2fnuz"),
};

} // namespace

const Family kWaveConversionInstructions = kRows;

} // namespace tilewright::emulator
