#include "tilewright/Layout/Shared.h"

#include "Samples.h"

#include "gtest/gtest.h"

namespace tilewright::layout {
namespace {

using Point = LinearLayout::Point;

TEST(Shared, swizzledByTheFormula) {
  for (int64_t vec : {1, 2, 4, 8}) {
    for (int64_t perPhase : {1, 2, 4}) {
      for (int64_t maxPhase : {1, 2, 4, 8}) {
        LinearLayout layout = swizzled({16, 64}, {1, 0}, {vec, perPhase, maxPhase});
        ASSERT_TRUE(layout.isInvertible());
        for (int64_t offset = 0; offset < 16 * 64; ++offset) {
          int64_t row = offset / 64, phase = row / perPhase % maxPhase;
          int64_t column = (offset % 64 / vec ^ phase) * vec + offset % vec;
          ASSERT_EQ(layout({offset}), (Point{row, column}));
        }
      }
    }
  }
}

TEST(Shared, swizzledWrapsInShortRows) {
  LinearLayout layout = swizzled({16, 8}, {1, 0}, {4, 1, 8});
  EXPECT_TRUE(layout.isInvertible());
  EXPECT_EQ(layout({1 * 8}), (Point{1, 4}));
  EXPECT_EQ(layout({2 * 8}), (Point{2, 0}));
}

TEST(Shared, orderNamesTheRows) {
  LinearLayout layout = swizzled({8, 4, 2}, {1, 2, 0});
  EXPECT_EQ(layout({1}), (Point{0, 1, 0}));
  EXPECT_EQ(layout({4}), (Point{0, 0, 1}));
  EXPECT_EQ(layout({8}), (Point{1, 0, 0}));
}

/// TMA's swizzles as functions of the byte address: bits 4.. are xored with bits 7...
int64_t swizzledAddress(int64_t address, int swizzleBytes) {
  int64_t mask = swizzleBytes / 16 - 1;
  return address ^ (address >> 7 & mask) << 4;
}

TEST(Shared, nvmmaByAddresses) {
  for (int elementBits : {8, 16, 32}) {
    for (int swizzleBytes : {16, 32, 64, 128}) {
      int64_t bytes = elementBits / 8, width = swizzleBytes / bytes, columns = 256 / bytes, rows = 16;
      LinearLayout layout = nvmmaShared({rows, columns}, elementBits, swizzleBytes);
      ASSERT_TRUE(layout.isInvertible());
      LinearLayout across = nvmmaShared({columns, rows}, elementBits, swizzleBytes, true);
      for (int64_t row = 0; row < rows; ++row) {
        for (int64_t column = 0; column < columns; ++column) {
          int64_t message = column / width * rows * swizzleBytes;
          int64_t address = message + swizzledAddress(row * swizzleBytes + column % width * bytes, swizzleBytes);
          ASSERT_EQ(layout({address / bytes}), (Point{row, column}));
          ASSERT_EQ(across({address / bytes}), (Point{column, row}));
        }
      }
    }
  }
}

TEST(Shared, nvmmaCountsRowsThroughLeadingDimensions) {
  LinearLayout layout = nvmmaShared({4, 2, 64}, 16, 128);
  ASSERT_TRUE(layout.isInvertible());
  for (int64_t row = 0; row < 8; ++row) {
    EXPECT_EQ(layout({row * 64}), (Point{row / 2, row % 2, row * 8}));
  }
}

TEST(Shared, inOrderOfThreadsKeepsVectorsAndLanesTogether) {
  LinearLayout distributed = LinearLayout::fromBases(
      {{"register", {{0, 0}, {0, 1}, {8, 0}}}, {"lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}}, {"warp", {{16, 0}}}},
      {{"dim0", 5}, {"dim1", 3}});
  LinearLayout shared = inOrderOfThreads(distributed, {{1}});
  ASSERT_TRUE(shared.isInvertible());
  LinearLayout offsets = offsetsOf(distributed, shared);
  for (int64_t warp = 0; warp < 2; ++warp) {
    for (int64_t lane = 0; lane < 32; ++lane) {
      int64_t thread = 32 * warp + lane;
      EXPECT_EQ(offsets({1, lane, warp}), Point{2 * thread}) << "a replica of register 0";
      EXPECT_EQ(offsets({2, lane, warp}), Point{2 * thread + 1});
      EXPECT_EQ(offsets({4, lane, warp}), Point{128 + 2 * thread});
    }
  }
}

TEST(Shared, offsetsFindTheElement) {
  LinearLayout shared = swizzled({64, 64}, {1, 0}, {8, 1, 8});
  for (const LinearLayout &layout : commonLayouts(16)) {
    LinearLayout offsets = offsetsOf(layout, shared);
    for (uint64_t x = 0; x < uint64_t(1) << offsets.totalInBits(); ++x) {
      ASSERT_EQ(shared.apply(offsets.apply(x)), layout.apply(x));
    }
  }
}

} // namespace
} // namespace tilewright::layout
