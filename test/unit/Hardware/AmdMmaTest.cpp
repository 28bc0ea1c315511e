// Every row against the formulas of AMD's matrix instruction calculator, and of the guides for gfx950 and gfx1250: the
// row and column of element v of lane l.

#include "tilewright/Hardware/AmdInstructions.h"

#include "gtest/gtest.h"

#include <functional>
#include <map>
#include <set>

namespace tilewright::hardware {
namespace {

using layout::kLane;
using layout::kRegister;
using layout::LinearLayout;
using Point = LinearLayout::Point;

/// (l, v) -> (row or column, position along K) of A and B, and (row, column) of C.
using Formula = std::function<Point(int64_t l, int64_t v)>;

struct Formulas {
  Formula operands, accumulators;
};

Formulas mfma(const AmdMma &row) {
  auto [m, n, k] = row.shape;
  int64_t side = m, elements = k / (64 / side);
  bool isOfDoubles = row.c().element == ElementType::F64;
  return {[=](int64_t l, int64_t v) { return Point{l % side, elements * (l / side) + v}; },
          [=](int64_t l, int64_t v) {
            if (isOfDoubles) {
              return Point{4 * v + l / 16, l % 16};
            }
            return side == 32 ? Point{8 * (v / 4) + 4 * (l / 32) + v % 4, l % 32} : Point{4 * (l / 16) + v, l % 16};
          }};
}

/// gfx11: lanes 16 to 31 hold the same elements of A and B as lanes 0 to 15.
Formulas wmma11() {
  return {[](int64_t l, int64_t v) { return Point{l % 16, v}; },
          [](int64_t l, int64_t v) { return Point{2 * v + l / 16, l % 16}; }};
}

Formulas wmma12() {
  return {[](int64_t l, int64_t v) { return Point{l % 16, 8 * (l / 16) + v}; },
          [](int64_t l, int64_t v) { return Point{8 * (l / 16) + v, l % 16}; }};
}

Formulas wmma1250(const AmdMma &row) {
  bool isOfFloats = row.a().element == ElementType::F32;
  return {[=](int64_t l, int64_t v) {
            return Point{l % 16, isOfFloats ? 2 * (l / 16) + v : 16 * (v / 8) + 8 * (l / 16) + v % 8};
          },
          [](int64_t l, int64_t v) { return Point{8 * (l / 16) + v, l % 16}; }};
}

Formulas documented(const AmdMma &row) {
  std::string family = row.name.substr(0, row.name.find('.'));
  if (family == "mfma") {
    return mfma(row);
  }
  return family == "wmma11" ? wmma11() : family == "wmma12" ? wmma12() : wmma1250(row);
}

void expectMap(const AmdMma &row, const LinearLayout &map, const Formula &at) {
  for (int64_t lane = 0; lane < map.inSize(kLane); ++lane) {
    for (int64_t element = 0; element < map.inSize(kRegister); ++element) {
      ASSERT_EQ(map({element, lane, 0, 0}), at(lane, element)) << row.name << " " << lane << ":" << element;
    }
  }
}

Point exchanged(Point at) { return {at[1], at[0]}; }

/// The number at the end of a name like "mfma.m16n16k32.s8.s8.s32.swapped.by4", or what lanes hold without it:
/// contiguous elements along K, and columns of the transposed C.
int64_t contiguousOf(const AmdMma &row) {
  size_t at = row.name.rfind(".by");
  int64_t groups = row.c().fragment.inSize(kLane) / row.shape.m;
  return at != std::string::npos               ? std::stoll(row.name.substr(at + 3))
         : row.name.rfind("wmma11", 0) == 0    ? row.shape.n / groups
         : row.name.rfind("wmma1250.", 0) == 0 ? std::min<int64_t>(8, row.shape.k / groups)
                                               : row.shape.k / groups;
}

struct SwappedFormulas : Formulas {
  std::map<int64_t, int64_t> columns; ///< of the transposed C, by rows of the instruction's
};

/// The formulas of the instruction for A and C become those for B and the transposed C. The lanes hold `contiguous`
/// elements along K, those of the other groups of lanes follow, then the lanes' next ones; and columns of C likewise,
/// if there are enough.
SwappedFormulas swapped(const AmdMma &row, const Formulas &plain) {
  int64_t contiguous = contiguousOf(row), side = row.shape.m, groups = row.c().fragment.inSize(kLane) / side;
  Formula inRuns = [=](int64_t l, int64_t v) {
    return Point{l % side, contiguous * (groups * (v / contiguous) + l / side) + v % contiguous};
  };
  bool repeatsLanes = row.name.rfind("wmma11", 0) == 0;
  Formula transposed = [=](int64_t l, int64_t v) { return exchanged(plain.accumulators(l, v)); };
  SwappedFormulas formulas{{repeatsLanes ? plain.operands : inRuns, contiguous * groups <= side ? inRuns : transposed},
                           {}};
  for (int64_t l = 0; l < groups * side; ++l) {
    for (int64_t v = 0; v < side / groups; ++v) {
      formulas.columns[plain.accumulators(l, v)[0]] = formulas.accumulators(l, v)[1];
    }
  }
  return formulas;
}

TEST(AmdMma, swappedRowsHaveTheDocumentedFragmentsOfTheTransposes) {
  for (const AmdRow<AmdMma> &row : amdMmaInstructions()) {
    if (row.swapsOperands) {
      SwappedFormulas formulas = swapped(row, documented(row));
      expectMap(row, row.a().fragment, formulas.operands);
      expectMap(row, row.b().fragment, [&](int64_t l, int64_t v) {
        Point at = formulas.operands(l, v);
        return Point{at[1], formulas.columns.at(at[0])};
      });
      expectMap(row, row.c().fragment, formulas.accumulators);
    }
  }
}

TEST(AmdMma, everyRowHasTheDocumentedFragments) {
  for (const AmdRow<AmdMma> &row : amdMmaInstructions()) {
    if (row.swapsOperands) {
      continue;
    }
    Formulas formulas = documented(row);
    expectMap(row, row.a().fragment, formulas.operands);
    expectMap(row, row.b().fragment, [&](int64_t l, int64_t v) { return exchanged(formulas.operands(l, v)); });
    expectMap(row, row.c().fragment, formulas.accumulators);
  }
}

/// Lanes hold each element of an operand in values of the row's size, C only once.
TEST(AmdMma, fragmentsCoverTheOperands) {
  for (const AmdRow<AmdMma> &row : amdMmaInstructions()) {
    auto [m, n, k] = row.shape;
    std::array<std::array<int64_t, 2>, 3> shapes = {{{m, k}, {k, n}, {m, n}}};
    for (size_t which = 0; which < shapes.size(); ++which) {
      const MmaOperand &operand = row.operands[which];
      const LinearLayout &map = operand.fragment;
      std::set<Point> held;
      for (int64_t lane = 0; lane < map.inSize(kLane); ++lane) {
        for (int64_t element = 0; element < map.inSize(kRegister); ++element) {
          held.insert(map({element, lane, 0, 0}));
        }
      }
      EXPECT_EQ(static_cast<int64_t>(held.size()), shapes[which][0] * shapes[which][1]) << row.name << " " << which;
      EXPECT_EQ(map.inSize(kRegister), operand.elementsPerValue()) << row.name << " takes an operand as one value";
    }
  }
}

TEST(AmdMma, namesAreUniqueAndFindTheRows) {
  std::set<std::string> names;
  for (const AmdRow<AmdMma> &row : amdMmaInstructions()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(lookupAmdMma(row.name), &row);
    EXPECT_EQ(lookupMma(row.name), &row);
  }
}

/// A lane holds a result as it does an A of the row that is meant for it, so that a chain of dots moves nothing between
/// lanes: repeated along their columns, the fragments are the same tile.
TEST(AmdMma, resultsOfSwappedRowsAreOperands) {
  int follow = 0;
  for (const AmdRow<AmdMma> &row : amdMmaInstructions()) {
    bool hasVariant = lookupAmdMma(row.name + ".by4"), repeatsLanes = row.name.rfind("wmma11", 0) == 0;
    if (!row.swapsOperands || hasVariant || repeatsLanes) {
      continue;
    }
    ++follow;
    layout::Shape shape = {row.shape.m, std::max(row.shape.n, row.shape.k)};
    EXPECT_EQ(layout::mmaOperand(layout::Operand::A, row.a().fragment, shape, {1, 1}),
              layout::mmaOperand(layout::Operand::C, row.c().fragment, shape, {1, 1}))
        << row.name;
  }
  EXPECT_GT(follow, 30);
}

/// Where lanes of A repeat others, a lane holds half of its A as a result already, in order.
TEST(AmdMma, resultsOfSwappedRowsAreHalvesOfRepeatedOperands) {
  const AmdMma &row = *lookupAmdMma("wmma11.m16n16k16.f16.f16.f32.swapped");
  for (int64_t lane = 0; lane < 32; ++lane) {
    for (int64_t element = 0; element < 8; ++element) {
      EXPECT_EQ(row.c().fragment({element, lane, 0, 0}), row.a().fragment({8 * (lane / 16) + element, lane, 0, 0}));
    }
  }
}

/// "e4m3.e5m2" of a swapped row is the instruction for bf8 by fp8.
TEST(AmdMma, swappedRowsExchangeTheTypesOfTheInstruction) {
  EXPECT_EQ(lookupAmdMma("mfma.m32n32k16.e4m3.e5m2.f32")->intrinsic, "llvm.amdgcn.mfma.f32.32x32x16.fp8.bf8");
  EXPECT_EQ(lookupAmdMma("mfma.m32n32k16.e4m3.e5m2.f32.swapped")->intrinsic, "llvm.amdgcn.mfma.f32.32x32x16.bf8.fp8");
}

TEST(AmdMma, architecturesHaveTheRowsOfTheirGeneration) {
  auto has = [](const char *gpu, const char *name) {
    for (const MmaInstruction *row : lookupGpu(gpu)->mma) {
      if (row->name == name) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(has("gfx90a", "mfma.m32n32k8.f16.f16.f32"));
  EXPECT_FALSE(has("gfx90a", "mfma.m16n16k32.s8.s8.s32"));
  EXPECT_TRUE(has("gfx942", "mfma.m16n16k32.s8.s8.s32"));
  EXPECT_FALSE(has("gfx942", "mfma.m16n16k32.e4m3.e4m3.f32")); // its instructions take other formats
  EXPECT_TRUE(has("gfx950", "mfma.m16n16k32.e4m3.e4m3.f32"));
  EXPECT_TRUE(has("gfx1100", "wmma11.m16n16k16.bf16.bf16.f32"));
  EXPECT_FALSE(has("gfx1100", "wmma12.m16n16k16.bf16.bf16.f32"));
  EXPECT_TRUE(has("gfx1250", "wmma1250.m16n16k32.f16.f16.f32"));
}

} // namespace
} // namespace tilewright::hardware
