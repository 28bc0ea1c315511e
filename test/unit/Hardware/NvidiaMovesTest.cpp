// ldmatrix and stmatrix against the fragments of each thread in the PTX ISA.

#include "tilewright/Hardware/NvidiaInstructions.h"

#include "gtest/gtest.h"

namespace tilewright::hardware {
namespace {

using Point = layout::LinearLayout::Point;

/// (row in memory, element in the row) of byte or half-word `part` of word `word` of a lane.
Point documented(const MatrixMove &move, int64_t lane, int64_t word, int64_t part) {
  int64_t g = lane / 4, t = lane % 4;
  if (move.shape == "m8n8") { // word j belongs to matrix j
    Point inMatrix = move.isTransposed ? Point{2 * t + part, g} : Point{g, 2 * t + part};
    return {8 * word + inMatrix[0], inMatrix[1]};
  }
  if (move.shape == "m16n16") { // two words per matrix: the left and the right half of its rows
    return {16 * (word / 2) + 4 * t + part, g + 8 * (word % 2)};
  }
  // m16n8: accumulators of 16 x 8, whose columns are rows in memory
  return {8 * word + 2 * t + part % 2, g + 8 * (part / 2)};
}

TEST(NvidiaMoves, everyMatrixMoveAgainstTheDocumentation) {
  for (const auto &move : matrixMoves()) {
    SCOPED_TRACE(std::string(move.shape) + ".x" + std::to_string(move.count));
    layout::LinearLayout fragment = move.fragment();
    int64_t parts = 32 / move.elementBits, words = fragment.inSize(layout::kRegister) / parts;
    ASSERT_EQ(layout::shapeOf(fragment), (layout::Shape{move.rows * move.count, move.elementsPerRow()}));
    ASSERT_TRUE(fragment.isInvertible());
    for (int64_t lane = 0; lane < 32; ++lane) {
      for (int64_t word = 0; word < words; ++word) {
        for (int64_t part = 0; part < parts; ++part) {
          ASSERT_EQ(fragment({word * parts + part, lane, 0, 0}), documented(move, lane, word, part));
        }
      }
    }
  }
}

TEST(NvidiaMoves, aLaneGivesAtMostOneAddress) {
  for (const auto &move : matrixMoves()) {
    EXPECT_LE(move.rows * move.count, kLanesPerWarp);
  }
}

TEST(NvidiaMoves, fourMatricesAreAnOperandOfMma) {
  // .x4 loads the lower and upper 8 rows of A's 16 x 16 fragment, left then right.
  for (const auto &move : matrixMoves()) {
    if (move.isStore || move.isTransposed || move.count != 4) {
      continue;
    }
    layout::LinearLayout a = mmaFragment(layout::Operand::A, {16, 8, 16}, 16), fragment = move.fragment();
    for (int64_t lane = 0; lane < 32; ++lane) {
      for (int64_t i = 0; i < 8; ++i) {
        Point moved = fragment({i, lane, 0, 0});
        EXPECT_EQ(a({i, lane, 0, 0}), (Point{moved[0] % 16, moved[0] / 16 * 8 + moved[1]}));
      }
    }
  }
}

TEST(NvidiaMoves, asyncCopiesOfPowersOfTwo) {
  for (const NvidiaInfo &info : nvidiaTargets()) {
    std::vector<int> throughL1, past;
    for (const auto &copy : asyncCopies()) {
      if (copy.targets & info.target) {
        (copy.bypassesL1 ? past : throughL1).push_back(copy.bytes);
      }
    }
    EXPECT_EQ(throughL1, (std::vector<int>{4, 8, 16}));
    EXPECT_EQ(past, std::vector<int>{16});
  }
}

TEST(NvidiaMoves, whichTargetsHaveWhat) {
  for (const NvidiaInfo &info : nvidiaTargets()) {
    int loads = 0, stores = 0;
    for (const auto &move : matrixMoves()) {
      (move.isStore ? stores : loads) += (move.targets & info.target) != 0;
    }
    bool isBlackwell = info.ptxVersion >= 86, isHopper = info.name == "sm_90a";
    EXPECT_EQ(loads, isBlackwell ? 8 : 6);
    EXPECT_EQ(stores, isBlackwell ? 9 : isHopper ? 6 : 0);
  }
}

/// The elements that the lanes of a warp get if each provides the address of the row that it holds in `rows`.
void expectMoves(const MatrixMove &move, const layout::LinearLayout &tile, int elementBits) {
  std::optional<layout::LinearLayout> rows = move.rowsOf(tile, elementBits);
  ASSERT_TRUE(rows.has_value());
  MatrixMove as = move;
  as.elementBits = elementBits;
  layout::LinearLayout fragment = as.fragment();
  int64_t perMove = fragment.inSize(layout::kRegister), perRow = fragment.outSize("dim1");
  for (int64_t piece = 0; piece < tile.inSize(layout::kRegister) / perMove; ++piece) {
    for (int64_t lane = 0; lane < kLanesPerWarp; ++lane) {
      for (int64_t reg = 0; reg < perMove; ++reg) {
        Point place = fragment({reg, lane, 0, 0});
        ASSERT_EQ((*rows)({piece * perRow + place[1], place[0], 1, 0}), tile({piece * perMove + reg, lane, 1, 0}));
      }
    }
  }
}

TEST(NvidiaMoves, operandsOfMmaAsRows) {
  for (int elementBits : {8, 16, 32}) {
    layout::LinearLayout a = mmaFragment(layout::Operand::A, {16, 8, 256 / elementBits}, elementBits);
    layout::LinearLayout tile = layout::mmaOperand(layout::Operand::A, a, {64, 64}, {2, 2});
    for (const auto &move : matrixMoves()) {
      if (!move.isStore && (!move.isTransposed || move.elementBits == elementBits)) {
        expectMoves(move, tile, elementBits);
      }
    }
  }
}

TEST(NvidiaMoves, elementsOfAnotherWidthAreNotTransposed) {
  layout::LinearLayout b = mmaFragment(layout::Operand::B, {16, 8, 8}, 32);
  for (const auto &move : matrixMoves()) {
    EXPECT_FALSE(move.isTransposed && move.rowsOf(layout::mmaOperand(layout::Operand::B, b, {64, 64}, {2, 2}), 32));
    EXPECT_FALSE(move.rowsOf(b, 64));
  }
}

} // namespace
} // namespace tilewright::hardware
