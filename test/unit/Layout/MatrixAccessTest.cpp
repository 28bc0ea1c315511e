#include "tilewright/Layout/MatrixAccess.h"

#include "tilewright/Layout/Algebra.h"
#include "tilewright/Layout/Shared.h"

#include "Samples.h"

#include "gtest/gtest.h"

namespace tilewright::layout {
namespace {

/// Four 8 x 8 matrices of 16-bit elements: (register, lane) -> (row, element); see MatrixMove::fragment.
LinearLayout matrices(int64_t count, bool isTransposed) {
  auto row = [](std::string_view in, int64_t size) { return LinearLayout::identity(in, dimName(0), size); };
  auto element = [](std::string_view in, int64_t size) { return LinearLayout::identity(in, dimName(1), size); };
  LinearLayout one = isTransposed ? row(kRegister, 2) * row(kLane, 4) * element(kLane, 8)
                                  : element(kRegister, 2) * element(kLane, 4) * row(kLane, 8);
  return unitTile(2) * one * row(kRegister, count);
}

/// Moves as the hardware does, and looks where each register's element came from.
void expectMoves(const LinearLayout &offsets, const LinearLayout &fragment, const MatrixAccess &match) {
  int64_t rowElements = fragment.outSize(dimName(1));
  for (const std::vector<int> &group : registersOf(match.registers, offsets.inSize(kRegister))) {
    for (int64_t warp = 0; warp < offsets.inSize(kWarp); ++warp) {
      for (int64_t lane = 0; lane < offsets.inSize(kLane); ++lane) {
        for (size_t place = 0; place < group.size(); ++place) {
          LinearLayout::Point from = fragment({int64_t(place), lane, 0, 0});
          int64_t address = match.rows({group.front(), from[0], warp})[0];
          EXPECT_EQ(address % rowElements, 0);
          EXPECT_EQ(address + from[1], offsets({group[place], lane, warp})[0]);
        }
      }
    }
  }
}

int countMatches(const std::vector<LinearLayout> &layouts, const LinearLayout &shared, const LinearLayout &fragment) {
  int matches = 0;
  for (const LinearLayout &distributed : layouts) {
    LinearLayout offsets = offsetsOf(distributed, shared);
    if (auto match = matchMatrixAccess(offsets, fragment)) {
      expectMoves(offsets, fragment, *match);
      ++matches;
    }
  }
  return matches;
}

std::vector<LinearLayout> operands(Operand operand, int elementBits) {
  std::vector<LinearLayout> layouts;
  LinearLayout fragment = mmaFragment(operand, {16, 8, 256 / elementBits}, elementBits);
  for (const Shape &warps : {Shape{2, 2}, Shape{4, 1}, Shape{1, 4}}) {
    layouts.push_back(mmaOperand(operand, fragment, {64, 64}, warps));
  }
  return layouts;
}

TEST(MatrixAccess, operandsAlongTheirRows) {
  for (const Swizzle &swizzle : {Swizzle{}, Swizzle{8, 1, 8}, Swizzle{8, 2, 4}}) {
    LinearLayout rowMajor = swizzled({64, 64}, {1, 0}, swizzle), columnMajor = swizzled({64, 64}, {0, 1}, swizzle);
    // Four matrices at once: a fragment of A, and with two registers of words more than that of B.
    EXPECT_EQ(countMatches(operands(Operand::A, 16), rowMajor, matrices(4, false)), 3);
    EXPECT_EQ(countMatches(operands(Operand::B, 16), columnMajor, matrices(4, false)), 3);
    EXPECT_EQ(countMatches(operands(Operand::A, 16), columnMajor, matrices(4, true)), 3);
    EXPECT_EQ(countMatches(operands(Operand::B, 16), rowMajor, matrices(4, true)), 3);
    // Not the other way round.
    EXPECT_EQ(countMatches(operands(Operand::A, 16), columnMajor, matrices(1, false)), 0);
    EXPECT_EQ(countMatches(operands(Operand::A, 16), rowMajor, matrices(1, true)), 0);
  }
}

TEST(MatrixAccess, commonLayouts) {
  for (bool isTransposed : {false, true}) {
    for (int64_t count : {1, 2, 4}) {
      for (const Order &order : {Order{1, 0}, Order{0, 1}}) {
        EXPECT_GT(countMatches(commonLayouts(16), swizzled({64, 64}, order, {8, 1, 8}), matrices(count, isTransposed)),
                  0);
      }
    }
  }
}

TEST(MatrixAccess, randomRows) {
  // A fragment's bits in any order among the registers, its rows anywhere.
  Random random(3);
  LinearLayout fragment = matrices(4, false);
  for (int trial = 0; trial < 100; ++trial) {
    Columns rows = randomInvertible(random, 6), registers = {1, rows[0] << 3, rows[1] << 3, rows[2] << 3};
    std::shuffle(registers.begin(), registers.end(), random);
    Columns columns = registers;
    for (uint64_t column : {uint64_t(2), uint64_t(4), rows[3] << 3, rows[4] << 3, rows[5] << 3}) {
      columns.push_back(column);
    }
    LinearLayout offsets({{std::string(kRegister), 4}, {std::string(kLane), 5}, {std::string(kWarp), 0}},
                         {{std::string(kOffset), 9}}, columns);
    auto match = matchMatrixAccess(offsets, fragment);
    ASSERT_TRUE(match);
    expectMoves(offsets, fragment, *match);
  }
}

TEST(MatrixAccess, rowsThatAreTorn) {
  LinearLayout whole = offsetsOf(operands(Operand::A, 16)[0], swizzled({64, 64}, {1, 0}));
  // Groups of 4 elements change places, so that 16 bytes are not a row's.
  LinearLayout torn = offsetsOf(operands(Operand::A, 16)[0], swizzled({64, 64}, {1, 0}, {4, 1, 8}));
  EXPECT_TRUE(matchMatrixAccess(whole, matrices(4, false)));
  EXPECT_FALSE(matchMatrixAccess(torn, matrices(1, false)));
}

} // namespace
} // namespace tilewright::layout
