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

namespace {
/// Rows of one instruction that differ in what they make of its operands. All compute the same, as
///
///     (A B)^T = B^T A^T
///
/// as the positions along K can be permuted if it is done for A and B alike, and as the columns of B can be permuted if
/// it is done for C. The lanes of a transposed C hold elements of a row as those of an A do. So a chain of dots, in
/// which C becomes the next A, moves few elements between lanes, or none.
struct Variant {
  bool swapsOperands;
  int64_t contiguous; ///< elements along K that a lane holds before those of other lanes follow
};
} // namespace

/// The groups of lanes that hold different elements of a row of A.
static int64_t groupsOf(const Row &row) { return row.family.lanes / row.shape.n; }

/// The most contiguous elements along K that a lane holds.
static int64_t contiguousAlongK(const Row &row) {
  return row.family.repeatsLanes ? row.shape.k : std::min(row.shape.k / groupsOf(row), row.family.mostAlongK);
}

/// The same with which a transposed C can be held like A: then all groups' elements are columns of one C. If lanes of A
/// repeat others, the columns of C are divided among the groups in this way.
static int64_t contiguousInChains(const Row &row) {
  return std::min(contiguousAlongK(row), row.shape.n / groupsOf(row));
}

/// A, or B with rows and columns exchanged: `side` rows, of which each lane holds elements along K.
static LinearLayout operandFragment(const Row &row, Variant variant, int64_t side, int dimOfK) {
  int64_t k = row.shape.k;
  int other = 1 - dimOfK;
  layout::Shape shape = dimOfK == 1 ? layout::Shape{side, k} : layout::Shape{k, side};
  if (row.family.repeatsLanes) {
    return layout::fragment({dimOfK, k, {{other, side}}}, shape) *
           LinearLayout::zeros(layout::kLane, groupsOf(row), layout::dimName(other));
  }
  return layout::fragment({dimOfK, variant.contiguous, {{other, side}, {dimOfK, groupsOf(row)}}}, shape);
}

/// For each bit of a row of the instruction's C, the column of the transposed C. Groups of lanes hold those columns
/// that are their positions along K in A, if they are among the columns at all.
static std::vector<int64_t> columnsOfSwapped(const Row &row, Variant variant) {
  int64_t first = variant.contiguous, end = first * groupsOf(row);
  bool follows = end <= row.shape.n;
  std::vector<int64_t> columns;
  int64_t ofGroup = first, ofElement = 1;
  for (int64_t bit = 1; bit < row.shape.m; bit *= 2) {
    bool isGroup = bit >= row.family.contiguousC && bit < row.family.contiguousC * groupsOf(row);
    ofElement = ofElement == first ? end : ofElement;
    int64_t &next = isGroup ? ofGroup : ofElement;
    columns.push_back(follows ? next : bit);
    next *= 2;
  }
  return columns;
}

/// The layout of the matrix whose columns, by their bits, are moved to others.
static LinearLayout withColumns(const LinearLayout &map, const std::vector<int64_t> &columns) {
  LinearLayout::Bases bases = {{layout::dimName(0), {}}, {layout::dimName(1), {}}};
  for (int bit = 0; bit < map.outBits(layout::dimName(0)); ++bit) {
    bases[0].second.push_back({int64_t(1) << bit, 0});
  }
  for (int64_t column : columns) {
    bases[1].second.push_back({0, column});
  }
  return layout::compose(LinearLayout::fromBases(bases, map.outs()), map);
}

/// Shape and types are those of the dot.
static std::string nameOf(const AmdMma &mma, const Row &row, Variant variant) {
  auto [m, n, k] = mma.shape;
  std::string name =
      std::string(row.family.prefix) + ".m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
  for (const MmaOperand &operand : mma.operands) {
    name.append(".").append(nameOf(operand.element));
  }
  name += variant.swapsOperands ? ".swapped" : "";
  bool isPermuted = !row.family.repeatsLanes && variant.contiguous < contiguousAlongK(row);
  return isPermuted ? name + ".by" + std::to_string(variant.contiguous) : name;
}

static AmdRow<AmdMma> describe(const Row &row, Variant variant) {
  auto [m, n, k] = row.shape;
  LinearLayout c = layout::fragment({0, row.family.contiguousC, {{1, n}, {0, groupsOf(row)}}}, {m, n});
  ValueType accumulators = {row.accumulator, static_cast<int>(m * n / row.family.lanes)};
  LinearLayout left = operandFragment(row, variant, m, 1), right = operandFragment(row, variant, n, 0);
  ElementType a = row.a, b = row.b;
  AmdMma instruction;
  instruction.intrinsic = std::string("llvm.amdgcn.") + row.intrinsic;
  instruction.shape = row.shape;
  instruction.unit = row.family.unit;
  instruction.form = row.form;
  instruction.swapsOperands = variant.swapsOperands;
  if (variant.swapsOperands) { // the rows have as many rows as columns
    std::vector<int64_t> columns = columnsOfSwapped(row, variant);
    std::swap(a, b);
    right = withColumns(right, columns);
    c = withColumns(layout::transposed(c, {1, 0}), columns);
  }
  instruction.operands = {MmaOperand{left, a, row.value}, MmaOperand{right, b, row.value},
                          MmaOperand{c, row.accumulator, accumulators}};
  instruction.name = nameOf(instruction, row, variant);
  return {std::move(instruction), row.targets};
}

const AmdTable<AmdMma> &amdMmaInstructions() {
  static const AmdTable<AmdMma> table = [] {
    AmdTable<AmdMma> described;
    for (const Row &row : kRows) {
      int64_t most = contiguousAlongK(row), inChains = contiguousInChains(row);
      described.push_back(describe(row, {false, most}));
      if (inChains == most || !row.family.repeatsLanes) {
        described.push_back(describe(row, {true, most}));
      }
      if (inChains != most) {
        described.push_back(describe(row, {true, inChains}));
      }
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
