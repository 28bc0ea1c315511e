#include "Samples.h"

#include "gtest/gtest.h"

namespace tilewright::layout {
namespace {

/// The example of LinearLayout.h.
LinearLayout squares() {
  return LinearLayout::fromBases({{"register", {{0, 1}, {1, 0}}}, {"lane", {{0, 2}, {2, 0}}}},
                                 {{"dim0", 2}, {"dim1", 2}});
}

TEST(LinearLayout, appliesBasesBySum) {
  LinearLayout layout = squares();
  EXPECT_EQ(layout({3, 1}), (LinearLayout::Point{1, 3}));
  EXPECT_EQ(layout({2, 3}), (LinearLayout::Point{3, 2}));
  EXPECT_EQ(layout({0, 0}), (LinearLayout::Point{0, 0}));
}

TEST(LinearLayout, isLinear) {
  LinearLayout layout = squares();
  for (uint64_t a = 0; a < 16; ++a) {
    for (uint64_t b = 0; b < 16; ++b) {
      EXPECT_EQ(layout.apply(a ^ b), layout.apply(a) ^ layout.apply(b));
    }
  }
}

TEST(LinearLayout, knowsItsDimensions) {
  LinearLayout layout = squares();
  EXPECT_EQ(layout.inBits("lane"), 2);
  EXPECT_EQ(layout.inBits("warp"), 0);
  EXPECT_EQ(layout.outSize("dim1"), 4);
  EXPECT_EQ(layout.inStart("lane"), 2);
  EXPECT_EQ(layout.basis("lane", 1, "dim0"), 2);
  EXPECT_EQ(layout.basis("lane", 1, "dim1"), 0);
}

TEST(LinearLayout, surjectiveAndInjective) {
  EXPECT_TRUE(squares().isInvertible());
  LinearLayout copies = LinearLayout::fromBases({{"lane", {{1}, {0}}}}, {{"dim0", 1}});
  EXPECT_TRUE(copies.isSurjective());
  EXPECT_FALSE(copies.isInjective());
  LinearLayout part = LinearLayout::fromBases({{"lane", {{2}}}}, {{"dim0", 2}});
  EXPECT_TRUE(part.isInjective());
  EXPECT_FALSE(part.isSurjective());
}

TEST(LinearLayout, equalityLooksAtNamesSizesAndBases) {
  EXPECT_EQ(squares(), squares());
  EXPECT_NE(LinearLayout::identity("lane", "dim0", 4), LinearLayout::identity("lane", "dim1", 4));
  EXPECT_NE(LinearLayout::identity("lane", "dim0", 4), LinearLayout::identity("lane", "dim0", 8));
  EXPECT_NE(LinearLayout::identity("lane", "dim0", 4), LinearLayout::fromBases({{"lane", {{2}, {1}}}}, {{"dim0", 2}}));
}

TEST(LinearLayout, prints) {
  EXPECT_EQ(squares().toString(), "(register:4, lane:4) -> (dim0:4, dim1:4)\n"
                                  "  register  1 -> (0, 1)  2 -> (1, 0)\n"
                                  "  lane      1 -> (0, 2)  2 -> (2, 0)\n");
}

TEST(LinearLayout, repackMatchesNames) {
  std::vector<Dim> from = {{"a", 2}, {"b", 3}}, to = {{"b", 4}, {"c", 1}, {"a", 2}};
  EXPECT_EQ(repack(0b10111, from, to), 0b1100101U); // a = 3, b = 5
}

} // namespace
} // namespace tilewright::layout
