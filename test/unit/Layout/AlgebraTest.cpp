#include "tilewright/Layout/Algebra.h"

#include "Samples.h"

#include "gtest/gtest.h"

namespace tilewright::layout {
namespace {

LinearLayout randomMap(Random &random, std::vector<Dim> ins, std::vector<Dim> outs) {
  int inBits = 0, outBits = 0;
  for (const Dim &dim : ins) {
    inBits += dim.bits;
  }
  for (const Dim &dim : outs) {
    outBits += dim.bits;
  }
  Columns columns = randomColumns(random, inBits, outBits);
  return {std::move(ins), std::move(outs), std::move(columns)};
}

TEST(Algebra, productTilesTheFirstFactor) {
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    LinearLayout low = randomMap(random, {{"register", 1}, {"lane", 2}}, {{"dim0", 2}, {"dim1", 1}});
    LinearLayout high = randomMap(random, {{"lane", 1}, {"warp", 2}}, {{"dim1", 2}, {"dim2", 1}});
    LinearLayout product = low * high;
    ASSERT_EQ(product.ins(), (std::vector<Dim>{{"register", 1}, {"lane", 3}, {"warp", 2}}));
    ASSERT_EQ(product.outs(), (std::vector<Dim>{{"dim0", 2}, {"dim1", 3}, {"dim2", 1}}));
    for (uint64_t x = 0; x < 64; ++x) {
      int64_t reg = x & 1, lane = x >> 1 & 7, warp = x >> 4;
      LinearLayout::Point inner = low({reg, lane & 3}), outer = high({lane >> 2, warp});
      EXPECT_EQ(product({reg, lane, warp}), (LinearLayout::Point{inner[0], inner[1] + 2 * outer[0], outer[1]}));
    }
  }
}

TEST(Algebra, theEmptyLayoutIsTheUnit) {
  LinearLayout layout = LinearLayout::identity("lane", "dim0", 8);
  EXPECT_EQ(layout * LinearLayout(), layout);
  EXPECT_EQ(LinearLayout() * layout, layout);
}

TEST(Algebra, divisionUndoesTheProduct) {
  Random random(3);
  std::vector<Dim> ins = {{"register", 2}, {"lane", 1}}, outs = {{"dim0", 1}, {"dim1", 2}};
  for (int trial = 0; trial < 500; ++trial) {
    LinearLayout low = randomMap(random, ins, outs), high = randomMap(random, ins, outs);
    LinearLayout product = low * high;
    EXPECT_EQ(divideLeft(product, low), high);
    EXPECT_EQ(divideRight(product, high), low);
  }
}

TEST(Algebra, divisionFindsEveryQuotientAndNoOther) {
  // All maps of 2 + 2 bits, against all products that are equal to them.
  LinearLayout low = LinearLayout::identity("lane", "dim0", 2);
  int divisible = 0;
  for (uint64_t all = 0; all < 16; ++all) {
    LinearLayout whole({{"lane", 2}}, {{"dim0", 2}}, {all & 3, all >> 2});
    std::optional<LinearLayout> quotient = divideLeft(whole, low);
    bool expected = whole == low * LinearLayout::identity("lane", "dim0", 2) ||
                    whole == low * LinearLayout({{"lane", 1}}, {{"dim0", 1}}, {0});
    EXPECT_EQ(quotient.has_value(), expected);
    divisible += quotient.has_value();
  }
  EXPECT_EQ(divisible, 2);
  EXPECT_FALSE(divideLeft(low, LinearLayout::identity("lane", "dim0", 4)));
  EXPECT_FALSE(divideLeft(low, LinearLayout::identity("warp", "dim0", 2)));
}

TEST(Algebra, composeMatchesNames) {
  Random random(4);
  for (int trial = 0; trial < 200; ++trial) {
    LinearLayout inner = randomMap(random, {{"x", 3}}, {{"a", 2}, {"b", 1}});
    LinearLayout outer = randomMap(random, {{"b", 2}, {"c", 1}, {"a", 2}}, {{"y", 4}});
    LinearLayout composed = compose(outer, inner);
    for (int64_t x = 0; x < 8; ++x) {
      LinearLayout::Point middle = inner({x});
      EXPECT_EQ(composed({x}), outer({middle[1], 0, middle[0]}));
    }
  }
}

TEST(Algebra, inverses) {
  Random random(5);
  for (int trial = 0; trial < 500; ++trial) {
    int inBits = static_cast<int>(random() % 5), outBits = static_cast<int>(random() % 5);
    LinearLayout layout = randomMap(random, {{"x", inBits}}, {{"y", outBits}});
    LinearLayout inverse = pseudoInverse(layout);
    for (uint64_t x = 0; x < uint64_t(1) << inBits; ++x) {
      uint64_t back = inverse.apply(layout.apply(x));
      EXPECT_EQ(layout.apply(back), layout.apply(x));
      EXPECT_TRUE(!layout.isInjective() || back == x);
    }
    for (uint64_t y = 0; y < uint64_t(1) << outBits && layout.isSurjective(); ++y) {
      EXPECT_EQ(layout.apply(inverse.apply(y)), y);
    }
  }
}

TEST(Algebra, relateFindsEachElement) {
  Random random(6);
  int related = 0;
  for (int trial = 0; trial < 500; ++trial) {
    LinearLayout from = randomMap(random, {{"x", 3}}, {{"y", 4}}), to = randomMap(random, {{"z", 4}}, {{"y", 4}});
    std::optional<LinearLayout> relation = relate(from, to);
    Span ofTo(to.columns());
    bool isInside = true;
    for (uint64_t x = 0; x < 8; ++x) {
      isInside &= ofTo.contains(from.apply(x));
      EXPECT_TRUE(!relation || to.apply(relation->apply(x)) == from.apply(x));
    }
    EXPECT_EQ(relation.has_value(), isInside);
    related += isInside;
  }
  EXPECT_GT(related, 50);
}

TEST(Algebra, sublayoutRestrictsAndProjects) {
  Random random(7);
  LinearLayout layout = randomMap(random, {{"a", 2}, {"b", 2}}, {{"x", 2}, {"y", 3}});
  LinearLayout part = sublayout(layout, {"b"}, {"y", "x"});
  for (int64_t b = 0; b < 4; ++b) {
    LinearLayout::Point point = layout({0, b});
    EXPECT_EQ(part({b}), (LinearLayout::Point{point[1], point[0]}));
  }
}

TEST(Algebra, concatenation) {
  Random random(8);
  LinearLayout left = randomMap(random, {{"a", 2}}, {{"x", 2}, {"y", 1}});
  LinearLayout right = randomMap(random, {{"b", 2}}, {{"y", 2}});
  LinearLayout ins = concatIns(left, right);
  LinearLayout other = randomMap(random, {{"a", 2}}, {{"z", 3}});
  LinearLayout outs = concatOuts(left, other);
  for (int64_t a = 0; a < 4; ++a) {
    LinearLayout::Point ofA = left({a});
    for (int64_t b = 0; b < 4; ++b) {
      EXPECT_EQ(ins({a, b}), (LinearLayout::Point{ofA[0], ofA[1] ^ right({b})[0]}));
    }
    EXPECT_EQ(outs({a}), (LinearLayout::Point{ofA[0], ofA[1], other({a})[0]}));
  }
}

TEST(Algebra, freeBitsAreCopies) {
  Random random(9);
  for (int trial = 0; trial < 500; ++trial) {
    LinearLayout layout = randomMap(random, {{"a", 3}, {"b", 3}}, {{"x", 4}});
    std::vector<uint64_t> free = freeBits(layout);
    LinearLayout reduced = dropInBits(dropInBits(layout, "a", free[0]), "b", free[1]);
    EXPECT_TRUE(reduced.isInjective());
    EXPECT_EQ(rank(reduced.columns()), rank(layout.columns()));
  }
}

TEST(Algebra, firstPartHoldsTheSameElements) {
  // A thread's registers hold columns 0, 1, 4, 5, ..., 13 of its row, and lanes hold two columns next to each other.
  LinearLayout whole = LinearLayout::fromBases(
      {{"register", {{0, 1}, {0, 4}, {0, 8}}}, {"lane", {{0, 2}, {1, 0}}}, {"warp", {}}}, {{"dim0", 1}, {"dim1", 4}});
  for (int64_t size : {4, 8, 16}) {
    std::optional<LinearLayout> part = firstPart(whole, "dim1", size);
    ASSERT_TRUE(part) << size;
    EXPECT_EQ(part->outSize("dim0"), 2);
    EXPECT_EQ(part->outSize("dim1"), size);
    EXPECT_TRUE(part->isInvertible());
    for (int64_t lane = 0; lane < 4; ++lane) {
      for (int64_t reg = 0; reg < part->inSize("register"); ++reg) {
        EXPECT_EQ((*part)({reg, lane, 0}), whole({reg, lane, 0}));
      }
    }
  }
}

TEST(Algebra, partsThatLanesTellHaveNoLayout) {
  LinearLayout lanes = LinearLayout::fromBases({{"register", {{1}}}, {"lane", {{2}}}}, {{"dim0", 2}});
  EXPECT_FALSE(firstPart(lanes, "dim0", 2));
  LinearLayout swizzled = LinearLayout::fromBases({{"register", {{1}, {3}}}}, {{"dim0", 2}});
  EXPECT_FALSE(firstPart(swizzled, "dim0", 2));
  EXPECT_EQ(firstPart(swizzled, "dim0", 4), swizzled);
}

} // namespace
} // namespace tilewright::layout
