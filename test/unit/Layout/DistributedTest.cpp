// Constructors of distributed layouts, and their shape operations.

#include "tilewright/Layout/Algebra.h"

#include "Samples.h"

#include "gtest/gtest.h"

#include <set>

namespace tilewright::layout {
namespace {

using Point = LinearLayout::Point;

TEST(Blocked, agreesWithDivisionAndRemainder) {
  // A 16 x 32 tile of 2 x 4 elements per thread, 4 x 8 lanes, 2 x 1 warps, row-major.
  LinearLayout layout = blocked({16, 32}, {{2, 4}, {4, 8}, {2, 1}, {1, 0}});
  ASSERT_EQ(layout.inSize(kRegister), 8);
  for (int64_t row = 0; row < 16; ++row) {
    for (int64_t column = 0; column < 32; ++column) {
      int64_t reg = row % 2 * 4 + column % 4, lane = row / 2 % 4 * 8 + column / 4 % 8, warp = row / 8;
      EXPECT_EQ(layout({reg, lane, warp, 0}), (Point{row, column}));
    }
  }
}

TEST(Blocked, repeatsOverLargerShapesWithMoreRegisters) {
  LinearLayout layout = blocked({4, 8}, {{1, 2}, {2, 2}, {1, 1}, {1, 0}}); // the example of Blocked.h
  EXPECT_EQ(layout({3, 1, 0, 0}), (Point{0, 7}));
  EXPECT_EQ(layout({5, 2, 0, 0}), (Point{3, 1}));
  EXPECT_EQ(layout.inSize(kRegister), 8);
}

TEST(Blocked, smallerShapesLeaveCopiesInThreadsButNotInRegisters) {
  LinearLayout layout = blocked({2, 2}, {{1, 4}, {4, 1}, {1, 2}, {1, 0}});
  EXPECT_EQ(layout.inSize(kRegister), 2);
  EXPECT_EQ(freeBits(layout), (std::vector<uint64_t>{0, 0b10, 0b1, 0}));
  EXPECT_TRUE(layout.isSurjective());
}

TEST(Blocked, everyShapeIsCovered) {
  for (int64_t rows = 1; rows <= 128; rows *= 2) {
    for (int64_t columns = 1; columns <= 128; columns *= 2) {
      for (const Order &order : {Order{0, 1}, Order{1, 0}}) {
        LinearLayout layout = blocked({rows, columns}, {{2, 2}, {4, 8}, {2, 2}, order});
        EXPECT_TRUE(layout.isSurjective());
        EXPECT_EQ(shapeOf(layout), (Shape{rows, columns}));
        EXPECT_EQ(freeBits(layout)[0], 0U);
      }
    }
  }
}

TEST(Blocked, multiplyAddOperandsHoldWholeRowsAndColumns) {
  LinearLayout accumulators = blocked({16, 16}, {{2, 2}, {4, 8}, {1, 1}, {1, 0}});
  LinearLayout a = multiplyAddOperand(accumulators, 0, 8), b = multiplyAddOperand(accumulators, 1, 8);
  ASSERT_EQ(shapeOf(a), (Shape{16, 8}));
  ASSERT_EQ(shapeOf(b), (Shape{8, 16}));
  for (int64_t lane = 0; lane < 32; ++lane) {
    std::set<Point> ofA, ofB;
    for (int64_t reg = 0; reg < a.inSize(kRegister); ++reg) {
      ofA.insert(a({reg, lane, 0, 0}));
    }
    for (int64_t reg = 0; reg < b.inSize(kRegister); ++reg) {
      ofB.insert(b({reg, lane, 0, 0}));
    }
    for (int64_t reg = 0; reg < accumulators.inSize(kRegister); ++reg) {
      Point c = accumulators({reg, lane, 0, 0});
      for (int64_t k = 0; k < 8; ++k) {
        EXPECT_TRUE(ofA.count({c[0], k}) && ofB.count({k, c[1]}));
      }
    }
  }
}

TEST(Blocked, multiplyAddOperandsOfABatchAreThoseOfItsMatrices) {
  LinearLayout accumulators = blocked({2, 8, 8}, {{1, 2, 1}, {1, 4, 8}, {2, 1, 1}, {2, 1, 0}});
  LinearLayout a = multiplyAddOperand(accumulators, 0, 4), b = multiplyAddOperand(accumulators, 1, 4);
  EXPECT_EQ(shapeOf(a), (Shape{2, 8, 4}));
  EXPECT_EQ(shapeOf(b), (Shape{2, 4, 8}));
  EXPECT_EQ(dropDim(a, 0), multiplyAddOperand(dropDim(accumulators, 0), 0, 4));
  EXPECT_EQ(dropDim(b, 0), multiplyAddOperand(dropDim(accumulators, 0), 1, 4));
}

TEST(Fragments, warpsShareOperands) {
  LinearLayout a = mmaOperand(Operand::A, hardware::mmaFragment(Operand::A, {16, 8, 16}, 16), {64, 32}, {2, 2});
  LinearLayout c = mmaOperand(Operand::C, hardware::mmaFragment(Operand::C, {16, 8, 16}, 32), {64, 64}, {2, 2});
  EXPECT_EQ(a.inSize(kRegister), 64 * 32 / 64);
  for (int64_t warp = 0; warp < 4; ++warp) {
    EXPECT_EQ(a({0, 0, warp, 0}), (Point{warp / 2 * 16, 0}));
    EXPECT_EQ(c({0, 0, warp, 0}), (Point{warp / 2 * 16, warp % 2 * 8}));
  }
  EXPECT_EQ(a({8, 0, 0, 0}), (Point{0, 16})); // the next fragment follows along K
  EXPECT_EQ(c({4, 0, 0, 0}), (Point{0, 16})); // and along N, behind the other warp's
}

TEST(Fragments, warpGroupsStandOnTopOfEachOther) {
  LinearLayout fragment = hardware::wgmmaFragment(Operand::C, {64, 32, 16}, 32);
  LinearLayout c = hardware::wgmmaOperand(Operand::C, fragment, {128, 64}, {8, 1});
  EXPECT_EQ(c.inSize(kRegister), 128 * 64 / 256);
  for (int64_t warp = 0; warp < 8; ++warp) {
    EXPECT_EQ(c({0, 0, warp, 0}), (Point{16 * warp, 0}));
  }
  EXPECT_EQ(c({16, 0, 0, 0}), (Point{0, 32}));
}

TEST(Shape, dropDimIsTheSliceOfEveryElement) {
  Random random(10);
  for (int trial = 0; trial < 200; ++trial) {
    LinearLayout layout = randomDistributed(random, 4, 4, 3, 2, trial % 2, 0);
    for (int dim : {0, 1}) {
      LinearLayout slice = dropDim(layout, dim);
      EXPECT_TRUE(slice.isSurjective());
      for (int64_t thread = 0; thread < 32; ++thread) {
        std::set<int64_t> expected, found;
        for (int64_t reg = 0; reg < layout.inSize(kRegister); ++reg) {
          expected.insert(layout({reg, thread % 8, thread / 8, 0})[1 - dim]);
        }
        for (int64_t reg = 0; reg < slice.inSize(kRegister); ++reg) {
          EXPECT_TRUE(found.insert(slice({reg, thread % 8, thread / 8, 0})[0]).second) << "a copy in a register";
        }
        EXPECT_EQ(found, expected);
      }
      EXPECT_EQ(dropDim(insertDim(slice, dim), dim), slice);
    }
  }
}

TEST(Shape, transposedAndReshapedKeepElements) {
  Random random(11);
  for (int trial = 0; trial < 100; ++trial) {
    LinearLayout layout = randomDistributed(random, 3, 5, 3, 1, false, 0);
    LinearLayout swapped = transposed(layout, {1, 0}), cube = reshaped(layout, {4, 8, 8});
    ASSERT_EQ(shapeOf(swapped), (Shape{32, 8}));
    ASSERT_EQ(shapeOf(cube), (Shape{4, 8, 8}));
    for (uint64_t x = 0; x < 256; ++x) {
      Point point = layout.unpackOut(layout.apply(x)), other = swapped.unpackOut(swapped.apply(x));
      EXPECT_EQ(other, (Point{point[1], point[0]}));
      int64_t index = 32 * point[0] + point[1];
      EXPECT_EQ(cube.unpackOut(cube.apply(x)), (Point{index / 64, index / 8 % 8, index % 8}));
    }
    EXPECT_EQ(reshaped(cube, {8, 32}), layout);
  }
}

TEST(Shape, blocksOfAClusterSplitTheTile) {
  LinearLayout layout = splitOverBlocks(blocked({8, 8}, {{1, 2}, {8, 4}, {1, 1}, {1, 0}}), {2, 1}, {1, 0});
  EXPECT_EQ(shapeOf(layout), (Shape{16, 8}));
  EXPECT_EQ(layout({0, 0, 0, 1}), (Point{8, 0}));
}

} // namespace
} // namespace tilewright::layout
