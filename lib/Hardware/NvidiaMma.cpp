#include "tilewright/Hardware/NvidiaInstructions.h"

#include "tilewright/Layout/Algebra.h"

#include "NvidiaTargets.h"

#include <cassert>

namespace tilewright::hardware {

using layout::LinearLayout;
using layout::Operand;
using T = ElementType;

LinearLayout mmaFragment(Operand operand, layout::MmaShape shape, int elementBits) {
  int64_t word = std::max(1, 32 / elementBits);
  switch (operand) {
  case Operand::A:
    return layout::fragment({1, word, {{1, 4}, {0, 8}}}, {shape.m, shape.k});
  case Operand::B:
    return layout::fragment({0, word, {{0, 4}, {1, 8}}}, {shape.k, shape.n});
  case Operand::C:
    return layout::fragment({1, 2, {{1, 4}, {0, 8}}}, {shape.m, shape.n});
  }
  return {};
}

namespace {
/// What distinguishes the rows of mma.sync.
struct MmaSync {
  layout::MmaShape shape;
  ElementType a, b, accumulator;
  NvidiaTargets targets;
  int ptxVersion = 0;
};
} // namespace

/// Elements narrower than 32 bits are passed in words: pairs of f16 as such, others as integers.
static ValueType valueOf(ElementType type) {
  switch (type) {
  case T::F16:
    return {T::F16, 2};
  case T::F32:
  case T::F64:
    return {type};
  default:
    return {T::S32};
  }
}

static std::string dotted(std::initializer_list<ElementType> types) {
  std::string text;
  for (ElementType type : types) {
    text.append(".").append(nameOf(type));
  }
  return text;
}

/// LLVM's intrinsics are named by only as many of the types as distinguish them.
static std::string typesOfIntrinsic(const MmaSync &row) {
  switch (row.a) {
  case T::F16:
    return dotted({row.accumulator, row.accumulator});
  case T::E4M3:
  case T::E5M2:
    return dotted({row.accumulator, row.a, row.b, row.accumulator});
  default:
    return row.a == row.b ? dotted({row.a}) : dotted({row.a, row.b});
  }
}

static NvidiaRow<MmaInstruction> describe(const MmaSync &row) {
  auto [m, n, k] = row.shape;
  std::string shape = "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
  auto operand = [&](Operand which, ElementType type) {
    return MmaOperand{mmaFragment(which, row.shape, bitsOf(type)), type, valueOf(type)};
  };
  MmaInstruction instruction = {
      shape + dotted({row.a, row.b, row.accumulator}),
      "llvm.nvvm.mma." + shape + ".row.col" + typesOfIntrinsic(row),
      row.shape,
      {operand(Operand::A, row.a), operand(Operand::B, row.b), operand(Operand::C, row.accumulator)}};
  return {std::move(instruction), row.targets, row.ptxVersion};
}

const NvidiaTable<MmaInstruction> &mmaInstructions() {
  static constexpr MmaSync rows[] = {
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
  static const NvidiaTable<MmaInstruction> table = [] {
    NvidiaTable<MmaInstruction> described;
    for (const MmaSync &row : rows) {
      described.push_back(describe(row));
    }
    return described;
  }();
  return table;
}

LinearLayout wgmmaFragment(Operand operand, layout::MmaShape shape, int elementBits) {
  assert(operand != Operand::B && "wgmma reads B from shared memory");
  assert(shape.m == 64 && "a warp group computes 64 rows");
  return mmaFragment(operand, {16, shape.n, shape.k}, elementBits) *
         LinearLayout::identity(layout::kWarp, layout::dimName(0), 4);
}

LinearLayout wgmmaOperand(Operand operand, const LinearLayout &fragment, const layout::Shape &shape,
                          const layout::Shape &warps) {
  assert(warps[0] % 4 == 0 && "warp groups stand on top of each other");
  return layout::mmaOperand(operand, fragment, shape, {warps[0] / 4, warps[1]}, {0, 1});
}

LinearLayout GroupMmaInstruction::operand(Operand which, int64_t n) const {
  return wgmmaFragment(which, {kRows, n, k}, bitsOf(a));
}

std::string GroupMmaInstruction::name() const {
  return "m" + std::to_string(kRows) + "k" + std::to_string(k) + dotted({a, b, accumulator});
}

const NvidiaTable<GroupMmaInstruction> &wgmmaInstructions() {
  static const NvidiaTable<GroupMmaInstruction> table = {
      // k, A, B, accumulator, n's step, transposed operands
      {{16, T::F16, T::F16, T::F16, 8, true}, k90a},     {{16, T::F16, T::F16, T::F32, 8, true}, k90a},
      {{16, T::BF16, T::BF16, T::F32, 8, true}, k90a},   {{8, T::TF32, T::TF32, T::F32, 8, false}, k90a},

      {{32, T::E4M3, T::E4M3, T::F16, 8, false}, k90a},  {{32, T::E4M3, T::E5M2, T::F16, 8, false}, k90a},
      {{32, T::E5M2, T::E4M3, T::F16, 8, false}, k90a},  {{32, T::E5M2, T::E5M2, T::F16, 8, false}, k90a},
      {{32, T::E4M3, T::E4M3, T::F32, 8, false}, k90a},  {{32, T::E4M3, T::E5M2, T::F32, 8, false}, k90a},
      {{32, T::E5M2, T::E4M3, T::F32, 8, false}, k90a},  {{32, T::E5M2, T::E5M2, T::F32, 8, false}, k90a},

      {{32, T::S8, T::S8, T::S32, 16, false}, k90a},     {{32, T::S8, T::U8, T::S32, 16, false}, k90a, 84},
      {{32, T::U8, T::S8, T::S32, 16, false}, k90a, 84}, {{32, T::U8, T::U8, T::S32, 16, false}, k90a},
  };
  return table;
}

} // namespace tilewright::hardware
