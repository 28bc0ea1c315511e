// ldmatrix and stmatrix: PTX ISA 9.7.14.5.15 and 9.7.14.5.16.

#include "Lanes.h"

#include <string>

namespace tilewright::emulator {
namespace {

constexpr int kRowBytes = 16;

struct Shape {
  int count;
  bool transposed;
};

class Matrices : public testing::TestWithParam<Shape> {
protected:
  int count = GetParam().count;

  std::string name(std::string instruction) const {
    return instruction + ".sync.aligned.m8n8.x" + std::to_string(count) + (GetParam().transposed ? ".trans" : "") +
           ".shared.b16";
  }

  /// Rows are in memory from the last to the first, with a gap of one row between two.
  uint64_t addressOf(int row) const { return static_cast<uint64_t>(8 * count - 1 - row) * 2 * kRowBytes; }
  size_t sharedBytes() const { return static_cast<size_t>(8 * count) * 2 * kRowBytes; }

  /// The address operand of a lane. Lanes whose address is not used get an invalid one.
  uint64_t addressOfLane(int lane) const { return lane < 8 * count ? addressOf(lane) : 0x3fffffff; }

  static uint16_t element(int matrix, int row, int column) {
    return static_cast<uint16_t>(matrix << 12 | row << 8 | column << 4 | 9);
  }

  /// Register `matrix` of a lane, from PTX's figures.
  uint32_t fragment(int lane, int matrix) const {
    int row = lane / 4, column = lane % 4 * 2;
    uint32_t first = GetParam().transposed ? element(matrix, column, row) : element(matrix, row, column);
    uint32_t second = GetParam().transposed ? element(matrix, column + 1, row) : element(matrix, row, column + 1);
    return first | second << 16;
  }

  std::vector<unsigned char> memory() const {
    std::vector<unsigned char> bytes(sharedBytes(), 0xee);
    for (int row = 0; row < 8 * count; ++row) {
      for (int column = 0; column < 8; ++column) {
        uint16_t value = element(row / 8, row % 8, column);
        std::memcpy(&bytes[addressOf(row) + column * 2], &value, 2);
      }
    }
    return bytes;
  }
};
INSTANTIATE_TEST_SUITE_P(AllShapes, Matrices,
                         testing::Values(Shape{1, false}, Shape{2, false}, Shape{4, false}, Shape{1, true},
                                         Shape{2, true}, Shape{4, true}));

TEST_P(Matrices, AreLoadedIntoFragments) {
  auto operands = [&](int lane) { return Slots{addressOfLane(lane)}; };
  Slots results = executeWarp(name("ldmatrix"), operands, count, memory()).results;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int matrix = 0; matrix < count; ++matrix) {
      EXPECT_EQ(results[lane * count + matrix], fragment(lane, matrix)) << "lane " << lane << ", matrix " << matrix;
    }
  }
}

TEST_P(Matrices, AreStoredFromFragments) {
  auto operands = [&](int lane) {
    Slots slots = {addressOfLane(lane)};
    for (int matrix = 0; matrix < count; ++matrix) {
      slots.push_back(fragment(lane, matrix));
    }
    return slots;
  };
  std::vector<unsigned char> before(sharedBytes(), 0xee);
  EXPECT_EQ(executeWarp(name("stmatrix"), operands, 0, before).shared, memory());
}

/// Executes an ldmatrix or stmatrix in which lane 5 has the address `address` instead of its row's.
Outcome executeChecked(const char *name, uint64_t address, Slots values) {
  Execution execution = {*findInstruction(name), {}, 1, std::vector<unsigned char>(8 * kRowBytes, 0x11), {}};
  for (int lane = 0; lane < kLanes; ++lane) {
    execution.operands.push_back(lane == 5 ? address : static_cast<uint64_t>(lane % 8) * kRowBytes);
    execution.operands.insert(execution.operands.end(), values.begin(), values.end());
  }
  return executeInstruction(execution);
}

TEST(CheckedMatrices, HaveZerosWhereARowIsOutOfBounds) {
  Outcome outcome = executeChecked("ldmatrix.sync.aligned.m8n8.x1.shared.b16", 8 * kRowBytes, {});
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_EQ(outcome.reports[0].kind, Report::Bounds);
  EXPECT_EQ(outcome.reports[0].thread, 5);
  EXPECT_EQ(outcome.results[19], 0x11111111u);
  EXPECT_EQ(outcome.results[20], 0u);
}

TEST(CheckedMatrices, AreNotStoredToMisalignedRows) {
  Outcome outcome = executeChecked("stmatrix.sync.aligned.m8n8.x1.shared.b16", 5 * kRowBytes + 2, {0x22222222});
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_EQ(outcome.reports[0].kind, Report::Alignment);
  EXPECT_EQ(outcome.shared[4 * kRowBytes], 0x22);
  EXPECT_EQ(outcome.shared[5 * kRowBytes + 2], 0x11);
  EXPECT_EQ(outcome.shared[6 * kRowBytes], 0x22);
}

} // namespace
} // namespace tilewright::emulator
