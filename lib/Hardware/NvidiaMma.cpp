#include "tilewright/Hardware/NvidiaInstructions.h"

#include "NvidiaTargets.h"

#include <map>

namespace tilewright::hardware {

using layout::LinearLayout;
using layout::Operand;
using T = ElementType;

int bitsOf(ElementType type) {
  switch (type) {
  case T::S8:
  case T::U8:
  case T::E4M3:
  case T::E5M2:
    return 8;
  case T::F16:
  case T::BF16:
    return 16;
  case T::TF32:
  case T::F32:
  case T::S32:
    return 32;
  case T::F64:
    return 64;
  }
  return 0;
}

std::string_view ptxName(ElementType type) {
  static constexpr std::string_view names[] = {"f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s32", "e4m3", "e5m2"};
  return names[static_cast<int>(type)];
}

LinearLayout MmaInstruction::operand(Operand which) const {
  return layout::mmaFragment(which, shape, bitsOf(which == Operand::B ? b : a));
}

std::string MmaInstruction::name() const {
  std::string text = "m" + std::to_string(shape.m) + "n" + std::to_string(shape.n) + "k" + std::to_string(shape.k);
  for (T type : {a, b, accumulator}) {
    text.append(".").append(ptxName(type));
  }
  return text;
}

const std::vector<MmaInstruction> &mmaInstructions() {
  static const std::vector<MmaInstruction> table = {
      {{16, 8, 8}, T::F16, T::F16, T::F16, kAll},
      {{16, 8, 16}, T::F16, T::F16, T::F16, kAll},
      {{16, 8, 8}, T::F16, T::F16, T::F32, kAll},
      {{16, 8, 16}, T::F16, T::F16, T::F32, kAll},

      {{16, 8, 8}, T::BF16, T::BF16, T::F32, kAll},
      {{16, 8, 16}, T::BF16, T::BF16, T::F32, kAll},

      {{16, 8, 4}, T::TF32, T::TF32, T::F32, kAll},
      {{16, 8, 8}, T::TF32, T::TF32, T::F32, kAll},

      {{8, 8, 4}, T::F64, T::F64, T::F64, kAll},
      {{16, 8, 4}, T::F64, T::F64, T::F64, kFrom90},
      {{16, 8, 8}, T::F64, T::F64, T::F64, kFrom90},
      {{16, 8, 16}, T::F64, T::F64, T::F64, kFrom90},

      {{16, 8, 16}, T::S8, T::S8, T::S32, kAll},
      {{16, 8, 16}, T::S8, T::U8, T::S32, kAll},
      {{16, 8, 16}, T::U8, T::S8, T::S32, kAll},
      {{16, 8, 16}, T::U8, T::U8, T::S32, kAll},
      {{16, 8, 32}, T::S8, T::S8, T::S32, kAll},
      {{16, 8, 32}, T::S8, T::U8, T::S32, kAll},
      {{16, 8, 32}, T::U8, T::S8, T::S32, kAll},
      {{16, 8, 32}, T::U8, T::U8, T::S32, kAll},

      {{16, 8, 16}, T::E4M3, T::E4M3, T::F32, kFrom89, 87},
      {{16, 8, 16}, T::E4M3, T::E5M2, T::F32, kFrom89, 87},
      {{16, 8, 16}, T::E5M2, T::E4M3, T::F32, kFrom89, 87},
      {{16, 8, 16}, T::E5M2, T::E5M2, T::F32, kFrom89, 87},
      {{16, 8, 32}, T::E4M3, T::E4M3, T::F32, kFrom89, 84},
      {{16, 8, 32}, T::E4M3, T::E5M2, T::F32, kFrom89, 84},
      {{16, 8, 32}, T::E5M2, T::E4M3, T::F32, kFrom89, 84},
      {{16, 8, 32}, T::E5M2, T::E5M2, T::F32, kFrom89, 84},
      {{16, 8, 32}, T::E4M3, T::E4M3, T::F16, kFrom89, 87},
      {{16, 8, 32}, T::E4M3, T::E5M2, T::F16, kFrom89, 87},
      {{16, 8, 32}, T::E5M2, T::E4M3, T::F16, kFrom89, 87},
      {{16, 8, 32}, T::E5M2, T::E5M2, T::F16, kFrom89, 87},
  };
  return table;
}

const MmaInstruction *lookupMma(std::string_view name) {
  static const std::map<std::string, const MmaInstruction *, std::less<>> byName = [] {
    std::map<std::string, const MmaInstruction *, std::less<>> names;
    for (const MmaInstruction &row : mmaInstructions()) {
      names[row.name()] = &row;
    }
    return names;
  }();
  auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}

LinearLayout WgmmaInstruction::operand(Operand which, int64_t n) const {
  return layout::wgmmaFragment(which, {64, n, k}, bitsOf(a));
}

const std::vector<WgmmaInstruction> &wgmmaInstructions() {
  static const std::vector<WgmmaInstruction> table = {
      // k, A, B, accumulator, n's step, transposed operands
      {16, T::F16, T::F16, T::F16, 8, true, k90a},     {16, T::F16, T::F16, T::F32, 8, true, k90a},
      {16, T::BF16, T::BF16, T::F32, 8, true, k90a},   {8, T::TF32, T::TF32, T::F32, 8, false, k90a},

      {32, T::E4M3, T::E4M3, T::F16, 8, false, k90a},  {32, T::E4M3, T::E5M2, T::F16, 8, false, k90a},
      {32, T::E5M2, T::E4M3, T::F16, 8, false, k90a},  {32, T::E5M2, T::E5M2, T::F16, 8, false, k90a},
      {32, T::E4M3, T::E4M3, T::F32, 8, false, k90a},  {32, T::E4M3, T::E5M2, T::F32, 8, false, k90a},
      {32, T::E5M2, T::E4M3, T::F32, 8, false, k90a},  {32, T::E5M2, T::E5M2, T::F32, 8, false, k90a},

      {32, T::S8, T::S8, T::S32, 16, false, k90a},     {32, T::S8, T::U8, T::S32, 16, false, k90a, 84},
      {32, T::U8, T::S8, T::S32, 16, false, k90a, 84}, {32, T::U8, T::U8, T::S32, 16, false, k90a},
  };
  return table;
}

} // namespace tilewright::hardware
