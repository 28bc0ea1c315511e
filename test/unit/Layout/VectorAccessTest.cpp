#include "tilewright/Layout/VectorAccess.h"

#include "Samples.h"

#include "gtest/gtest.h"

#include <set>

namespace tilewright::layout {
namespace {

/// Whether every thread's registers form vectors of `size` elements: aligned runs along dim1.
bool formsVectors(const LinearLayout &layout, int64_t size) {
  int64_t registers = layout.inSize(kRegister);
  for (uint64_t thread = 0; thread < uint64_t(1) << (layout.totalInBits() - layout.inBits(kRegister)); ++thread) {
    std::set<LinearLayout::Point> held;
    for (int64_t reg = 0; reg < registers; ++reg) {
      held.insert(layout.unpackOut(layout.apply(thread << layout.inBits(kRegister) | reg)));
    }
    for (const LinearLayout::Point &point : held) {
      for (int64_t i = 0; i < size; ++i) {
        if (!held.count({point[0], point[1] / size * size + i})) {
          return false;
        }
      }
    }
  }
  return true;
}

TEST(VectorAccess, widestOfBlocked) {
  for (int64_t size : {1, 2, 4, 8, 16}) {
    LinearLayout layout = blocked({64, 64}, {{1, size}, {8, 4}, {4, 1}, {1, 0}});
    for (int64_t most : {1, 2, 4, 8, 16, 32}) {
      EXPECT_EQ(widestAccess(layout, "dim1", most).elements(), std::min(size, most));
      EXPECT_EQ(widestAccess(layout, "dim0", most).elements(), 1);
    }
  }
}

TEST(VectorAccess, widestByBruteForce) {
  Random random(12);
  std::set<int64_t> seen;
  for (int trial = 0; trial < 400; ++trial) {
    LinearLayout layout = randomDistributed(random, 2, 4, 2, 1, true, 0);
    int64_t elements = widestAccess(layout, "dim1", 16).elements();
    EXPECT_TRUE(formsVectors(layout, elements));
    EXPECT_TRUE(elements == 16 || !formsVectors(layout, 2 * elements));
    seen.insert(elements);
  }
  EXPECT_GE(seen.size(), 3U);
}

TEST(VectorAccess, vectorsStartAligned) {
  // A lane that moves by 3 elements starts in the middle of a vector of 4.
  LinearLayout layout =
      LinearLayout::fromBases({{"register", {{1}, {2}}}, {"lane", {{7}}}, {"warp", {}}, {"block", {}}}, {{"dim0", 3}});
  EXPECT_EQ(widestAccess(layout, "dim0", 4).elements(), 1);
}

TEST(VectorAccess, registersInTheOrderOfAddresses) {
  LinearLayout layout = LinearLayout::fromBases(
      {{"register", {{8, 0}, {0, 1}}}, {"lane", {{0, 2}}}, {"warp", {}}, {"block", {}}}, {{"dim0", 4}, {"dim1", 2}});
  VectorAccess access = widestAccess(layout, "dim1", 4);
  EXPECT_EQ(access.registerBits, std::vector<int>{1});
  EXPECT_EQ(registersOf(access, 4), (std::vector<std::vector<int>>{{0, 2}, {1, 3}}));
}

} // namespace
} // namespace tilewright::layout
