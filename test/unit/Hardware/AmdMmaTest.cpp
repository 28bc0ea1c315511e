// Every row against the formulas of AMD's matrix instruction calculator, and of the guides for gfx950 and gfx1250: the
// row and column of element v of lane l.

#include "tilewright/Hardware/AmdInstructions.h"

#include "gtest/gtest.h"

#include <functional>
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

TEST(AmdMma, everyRowHasTheDocumentedFragments) {
  for (const AmdRow<AmdMma> &row : amdMmaInstructions()) {
    Formulas formulas = documented(row);
    expectMap(row, row.a().fragment, formulas.operands);
    expectMap(row, row.b().fragment, [&](int64_t l, int64_t v) {
      Point at = formulas.operands(l, v);
      return Point{at[1], at[0]};
    });
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
