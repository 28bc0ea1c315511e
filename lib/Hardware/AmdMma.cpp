// AMD's matrix instructions. Which elements each lane holds is from AMD's matrix instruction calculator, and for
// gfx950 and gfx1250 from its guides of the instruction sets (test/unit/Hardware/AmdMmaTest.cpp has the formulas).

#include "tilewright/Hardware/AmdInstructions.h"

#include "tilewright/Layout/Algebra.h"

#include "AmdTargets.h"

#include <map>

namespace tilewright::hardware {

using layout::LinearLayout;
using layout::Operand;
using T = ElementType;

namespace {
/// The fragments of an instruction. Lanes follow one another along the rows of A and the columns of B and C, then along
/// the other dimension.
struct Family {
  const char *unit;    ///< what AMD calls the instructions
  const char *prefix;  ///< of the rows' names
  int lanes;           ///< of a warp
  int64_t contiguousC; ///< rows of C that a lane holds next to each other
  bool repeatsLanes;   ///< the upper lanes hold the same elements of A and B as the lower ones
  int64_t mostAlongK;  ///< contiguous elements along K that a lane holds; more follow after those of the other lanes
};

constexpr int64_t kNoLimit = 1 << 20;
constexpr Family kMfma = {"MFMA", "mfma", 64, 4, false, kNoLimit};
constexpr Family kMfmaOfDoubles = {"MFMA", "mfma", 64, 1, false, kNoLimit};
constexpr Family kWmma11 = {"WMMA", "wmma11", 32, 1, true, kNoLimit};
constexpr Family kWmma12 = {"WMMA", "wmma12", 32, 8, false, kNoLimit};
constexpr Family kWmma1250 = {"WMMA", "wmma1250", 32, 8, false, 8};

/// What distinguishes the rows.
struct Row {
  const Family &family;
  layout::MmaShape shape;
  ElementType a, b, accumulator;
  ValueType value; ///< of A and B
  const char *intrinsic;
  AmdMmaForm form;
  AmdTargets targets;
};

constexpr AmdMmaForm kPlainMfma = AmdMmaForm::Mfma, kPlainWmma = AmdMmaForm::Wmma;
constexpr AmdTargets kFrom942 = kGfx942 | kGfx950;
constexpr Row kRows[] = {
    {kMfma, {32, 32, 8}, T::F16, T::F16, T::F32, {T::F16, 4}, "mfma.f32.32x32x8f16", kPlainMfma, kCdna},
    {kMfma, {16, 16, 16}, T::F16, T::F16, T::F32, {T::F16, 4}, "mfma.f32.16x16x16f16", kPlainMfma, kCdna},
    {kMfma, {32, 32, 16}, T::F16, T::F16, T::F32, {T::F16, 8}, "mfma.f32.32x32x16.f16", kPlainMfma, kGfx950},
    {kMfma, {16, 16, 32}, T::F16, T::F16, T::F32, {T::F16, 8}, "mfma.f32.16x16x32.f16", kPlainMfma, kGfx950},

    {kMfma, {32, 32, 8}, T::BF16, T::BF16, T::F32, {T::S16, 4}, "mfma.f32.32x32x8bf16.1k", kPlainMfma, kCdna},
    {kMfma, {16, 16, 16}, T::BF16, T::BF16, T::F32, {T::S16, 4}, "mfma.f32.16x16x16bf16.1k", kPlainMfma, kCdna},
    {kMfma, {32, 32, 16}, T::BF16, T::BF16, T::F32, {T::BF16, 8}, "mfma.f32.32x32x16.bf16", kPlainMfma, kGfx950},
    {kMfma, {16, 16, 32}, T::BF16, T::BF16, T::F32, {T::BF16, 8}, "mfma.f32.16x16x32.bf16", kPlainMfma, kGfx950},

    {kMfma, {32, 32, 2}, T::F32, T::F32, T::F32, {T::F32}, "mfma.f32.32x32x2f32", kPlainMfma, kCdna},
    {kMfma, {16, 16, 4}, T::F32, T::F32, T::F32, {T::F32}, "mfma.f32.16x16x4f32", kPlainMfma, kCdna},
    {kMfmaOfDoubles, {16, 16, 4}, T::F64, T::F64, T::F64, {T::F64}, "mfma.f64.16x16x4f64", kPlainMfma, kCdna},

    {kMfma, {32, 32, 8}, T::S8, T::S8, T::S32, {T::S32}, "mfma.i32.32x32x8i8", kPlainMfma, kGfx90a},
    {kMfma, {16, 16, 16}, T::S8, T::S8, T::S32, {T::S32}, "mfma.i32.16x16x16i8", kPlainMfma, kGfx90a},
    {kMfma, {32, 32, 16}, T::S8, T::S8, T::S32, {T::S64}, "mfma.i32.32x32x16.i8", kPlainMfma, kFrom942},
    {kMfma, {16, 16, 32}, T::S8, T::S8, T::S32, {T::S64}, "mfma.i32.16x16x32.i8", kPlainMfma, kFrom942},
    {kMfma, {32, 32, 32}, T::S8, T::S8, T::S32, {T::S32, 4}, "mfma.i32.32x32x32.i8", kPlainMfma, kGfx950},
    {kMfma, {16, 16, 64}, T::S8, T::S8, T::S32, {T::S32, 4}, "mfma.i32.16x16x64.i8", kPlainMfma, kGfx950},

    // The same instructions take formats of their own on gfx942.
    {kMfma, {32, 32, 16}, T::E4M3FNUZ, T::E4M3FNUZ, T::F32, {T::S64}, "mfma.f32.32x32x16.fp8.fp8", kPlainMfma, kGfx942},
    {kMfma, {32, 32, 16}, T::E4M3FNUZ, T::E5M2FNUZ, T::F32, {T::S64}, "mfma.f32.32x32x16.fp8.bf8", kPlainMfma, kGfx942},
    {kMfma, {32, 32, 16}, T::E5M2FNUZ, T::E4M3FNUZ, T::F32, {T::S64}, "mfma.f32.32x32x16.bf8.fp8", kPlainMfma, kGfx942},
    {kMfma, {32, 32, 16}, T::E5M2FNUZ, T::E5M2FNUZ, T::F32, {T::S64}, "mfma.f32.32x32x16.bf8.bf8", kPlainMfma, kGfx942},
    {kMfma, {16, 16, 32}, T::E4M3FNUZ, T::E4M3FNUZ, T::F32, {T::S64}, "mfma.f32.16x16x32.fp8.fp8", kPlainMfma, kGfx942},
    {kMfma, {16, 16, 32}, T::E4M3FNUZ, T::E5M2FNUZ, T::F32, {T::S64}, "mfma.f32.16x16x32.fp8.bf8", kPlainMfma, kGfx942},
    {kMfma, {16, 16, 32}, T::E5M2FNUZ, T::E4M3FNUZ, T::F32, {T::S64}, "mfma.f32.16x16x32.bf8.fp8", kPlainMfma, kGfx942},
    {kMfma, {16, 16, 32}, T::E5M2FNUZ, T::E5M2FNUZ, T::F32, {T::S64}, "mfma.f32.16x16x32.bf8.bf8", kPlainMfma, kGfx942},
    {kMfma, {32, 32, 16}, T::E4M3, T::E4M3, T::F32, {T::S64}, "mfma.f32.32x32x16.fp8.fp8", kPlainMfma, kGfx950},
    {kMfma, {32, 32, 16}, T::E4M3, T::E5M2, T::F32, {T::S64}, "mfma.f32.32x32x16.fp8.bf8", kPlainMfma, kGfx950},
    {kMfma, {32, 32, 16}, T::E5M2, T::E4M3, T::F32, {T::S64}, "mfma.f32.32x32x16.bf8.fp8", kPlainMfma, kGfx950},
    {kMfma, {32, 32, 16}, T::E5M2, T::E5M2, T::F32, {T::S64}, "mfma.f32.32x32x16.bf8.bf8", kPlainMfma, kGfx950},
    {kMfma, {16, 16, 32}, T::E4M3, T::E4M3, T::F32, {T::S64}, "mfma.f32.16x16x32.fp8.fp8", kPlainMfma, kGfx950},
    {kMfma, {16, 16, 32}, T::E4M3, T::E5M2, T::F32, {T::S64}, "mfma.f32.16x16x32.fp8.bf8", kPlainMfma, kGfx950},
    {kMfma, {16, 16, 32}, T::E5M2, T::E4M3, T::F32, {T::S64}, "mfma.f32.16x16x32.bf8.fp8", kPlainMfma, kGfx950},
    {kMfma, {16, 16, 32}, T::E5M2, T::E5M2, T::F32, {T::S64}, "mfma.f32.16x16x32.bf8.bf8", kPlainMfma, kGfx950},

    {kWmma11, {16, 16, 16}, T::F16, T::F16, T::F32, {T::F16, 16}, "wmma.f32.16x16x16.f16", kPlainWmma, kGfx1100},
    {kWmma11, {16, 16, 16}, T::BF16, T::BF16, T::F32, {T::S16, 16}, "wmma.f32.16x16x16.bf16", kPlainWmma, kGfx1100},
    {kWmma11,
     {16, 16, 16},
     T::S8,
     T::S8,
     T::S32,
     {T::S32, 4},
     "wmma.i32.16x16x16.iu8",
     AmdMmaForm::WmmaInteger,
     kGfx1100},

    {kWmma12, {16, 16, 16}, T::F16, T::F16, T::F32, {T::F16, 8}, "wmma.f32.16x16x16.f16", kPlainWmma, kGfx1201},
    {kWmma12, {16, 16, 16}, T::BF16, T::BF16, T::F32, {T::S16, 8}, "wmma.f32.16x16x16.bf16", kPlainWmma, kGfx1201},
    {kWmma12,
     {16, 16, 16},
     T::S8,
     T::S8,
     T::S32,
     {T::S32, 2},
     "wmma.i32.16x16x16.iu8",
     AmdMmaForm::WmmaInteger,
     kGfx1201},
    {kWmma12, {16, 16, 16}, T::E4M3, T::E4M3, T::F32, {T::S32, 2}, "wmma.f32.16x16x16.fp8.fp8", kPlainWmma, kGfx1201},
    {kWmma12, {16, 16, 16}, T::E4M3, T::E5M2, T::F32, {T::S32, 2}, "wmma.f32.16x16x16.fp8.bf8", kPlainWmma, kGfx1201},
    {kWmma12, {16, 16, 16}, T::E5M2, T::E4M3, T::F32, {T::S32, 2}, "wmma.f32.16x16x16.bf8.fp8", kPlainWmma, kGfx1201},
    {kWmma12, {16, 16, 16}, T::E5M2, T::E5M2, T::F32, {T::S32, 2}, "wmma.f32.16x16x16.bf8.bf8", kPlainWmma, kGfx1201},

    {kWmma1250,
     {16, 16, 32},
     T::F16,
     T::F16,
     T::F32,
     {T::F16, 16},
     "wmma.f32.16x16x32.f16",
     AmdMmaForm::WmmaModified,
     kGfx1250},
    {kWmma1250,
     {16, 16, 32},
     T::BF16,
     T::BF16,
     T::F32,
     {T::BF16, 16},
     "wmma.f32.16x16x32.bf16",
     AmdMmaForm::WmmaModified,
     kGfx1250},
    {kWmma1250,
     {16, 16, 4},
     T::F32,
     T::F32,
     T::F32,
     {T::F32, 2},
     "wmma.f32.16x16x4.f32",
     AmdMmaForm::WmmaModified,
     kGfx1250},
};
} // namespace

/// A, or B with rows and columns exchanged: `side` rows, of which each lane holds elements along K.
static LinearLayout operandFragment(const Family &family, int64_t side, int64_t k, int dimOfK) {
  int other = 1 - dimOfK;
  if (family.repeatsLanes) {
    return layout::fragment({dimOfK, k, {{other, side}}},
                            dimOfK == 1 ? layout::Shape{side, k} : layout::Shape{k, side}) *
           LinearLayout::zeros(layout::kLane, family.lanes / side, layout::dimName(other));
  }
  int64_t groups = family.lanes / side;
  int64_t contiguous = std::min(k / groups, family.mostAlongK);
  return layout::fragment({dimOfK, contiguous, {{other, side}, {dimOfK, groups}}},
                          dimOfK == 1 ? layout::Shape{side, k} : layout::Shape{k, side});
}

static std::string nameOf(const Row &row) {
  auto [m, n, k] = row.shape;
  std::string name =
      std::string(row.family.prefix) + ".m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
  for (ElementType type : {row.a, row.b, row.accumulator}) {
    name.append(".").append(nameOf(type));
  }
  return name;
}

static AmdRow<AmdMma> describe(const Row &row) {
  auto [m, n, k] = row.shape;
  LinearLayout c = layout::fragment({0, row.family.contiguousC, {{1, n}, {0, row.family.lanes / n}}}, {m, n});
  ValueType accumulators = {row.accumulator, static_cast<int>(m * n / row.family.lanes)};
  AmdMma instruction;
  instruction.name = nameOf(row);
  instruction.intrinsic = std::string("llvm.amdgcn.") + row.intrinsic;
  instruction.shape = row.shape;
  instruction.operands = {MmaOperand{operandFragment(row.family, m, k, 1), row.a, row.value},
                          MmaOperand{operandFragment(row.family, n, k, 0), row.b, row.value},
                          MmaOperand{c, row.accumulator, accumulators}};
  instruction.unit = row.family.unit;
  instruction.form = row.form;
  return {std::move(instruction), row.targets};
}

const AmdTable<AmdMma> &amdMmaInstructions() {
  static const AmdTable<AmdMma> table = [] {
    AmdTable<AmdMma> described;
    for (const Row &row : kRows) {
      described.push_back(describe(row));
    }
    return described;
  }();
  return table;
}

const AmdMma *lookupAmdMma(std::string_view name) {
  static const std::map<std::string_view, const AmdMma *> byName = [] {
    std::map<std::string_view, const AmdMma *> rows;
    for (const AmdRow<AmdMma> &row : amdMmaInstructions()) {
      rows[row.name] = &row;
    }
    return rows;
  }();
  auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}

} // namespace tilewright::hardware
