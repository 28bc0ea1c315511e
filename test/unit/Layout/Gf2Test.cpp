#include "Samples.h"

#include "gtest/gtest.h"

namespace tilewright::layout {
namespace {

/// All sums of the vectors.
std::vector<bool> members(const Columns &vectors, int bits) {
  std::vector<bool> member(uint64_t(1) << bits);
  for (uint64_t x = 0; x < uint64_t(1) << vectors.size(); ++x) {
    member[multiply(vectors, x)] = true;
  }
  return member;
}

int count(const std::vector<bool> &member) { return static_cast<int>(std::count(member.begin(), member.end(), true)); }

/// Every 3 x 3 matrix.
template <typename Check> void forAllMatrices(Check check) {
  for (uint64_t all = 0; all < 512; ++all) {
    check(Columns{all & 7, all >> 3 & 7, all >> 6});
  }
}

TEST(Gf2, rankCountsTheImage) {
  forAllMatrices([](const Columns &matrix) { EXPECT_EQ(count(members(matrix, 3)), 1 << rank(matrix)); });
}

TEST(Gf2, spanContainsAndExpressesItsMembers) {
  forAllMatrices([](const Columns &matrix) {
    Span span(matrix);
    std::vector<bool> member = members(matrix, 3);
    for (uint64_t vector = 0; vector < 8; ++vector) {
      EXPECT_EQ(span.contains(vector), member[vector]);
      std::optional<uint64_t> combination = span.express(vector);
      ASSERT_EQ(combination.has_value(), member[vector]);
      EXPECT_EQ(multiply(matrix, combination.value_or(0)), member[vector] ? vector : 0);
    }
  });
}

TEST(Gf2, kernelHoldsAllThatVanishes) {
  forAllMatrices([](const Columns &matrix) {
    std::vector<bool> member = members(kernel(matrix), 3);
    for (uint64_t x = 0; x < 8; ++x) {
      EXPECT_EQ(member[x], multiply(matrix, x) == 0);
    }
    EXPECT_EQ(kernel(matrix).size() + rank(matrix), 3U);
  });
}

TEST(Gf2, pseudoInverse) {
  forAllMatrices([](const Columns &matrix) {
    Columns inverse = pseudoInverse(matrix, 3);
    for (uint64_t x = 0; x < 8; ++x) {
      uint64_t image = multiply(matrix, x);
      EXPECT_EQ(multiply(matrix, multiply(inverse, image)), image);
      if (rank(matrix) == 3) {
        EXPECT_EQ(multiply(inverse, image), x);
      }
    }
  });
}

TEST(Gf2, intersectionAndCommonComplement) {
  Random random(1);
  Columns space = {1, 2, 4, 8, 16, 32};
  for (int trial = 0; trial < 2000; ++trial) {
    Columns left = randomColumns(random, random() % 5, 6), right = randomColumns(random, random() % 5, 6);
    std::vector<bool> ofLeft = members(left, 6), ofRight = members(right, 6);
    Columns both = intersection(left, right), complement = commonComplement(space, left, right);
    std::vector<bool> ofBoth = members(both, 6), ofComplement = members(complement, 6);
    for (uint64_t vector = 0; vector < 64; ++vector) {
      EXPECT_EQ(ofBoth[vector], ofLeft[vector] && ofRight[vector]);
      EXPECT_FALSE(vector != 0 && ofComplement[vector] && (ofLeft[vector] || ofRight[vector]));
    }
    EXPECT_EQ(rank(both), static_cast<int>(both.size()));
    EXPECT_EQ(rank(complement), 6 - std::max(rank(left), rank(right)));
    EXPECT_EQ(rank(complement), static_cast<int>(complement.size()));
  }
}

} // namespace
} // namespace tilewright::layout
