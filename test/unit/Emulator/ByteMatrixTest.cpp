// ldmatrix and stmatrix of bytes, which transfer the fragments of 8-bit mma instructions.

#include "Lanes.h"

#include <string>

namespace tilewright::emulator {
namespace {

constexpr int kRowBytes = 16;

unsigned char byteOf(int matrix, int row, int column) {
  return static_cast<unsigned char>(matrix * 97 + row * 16 + column);
}

/// The rows of matrices one after the other.
std::vector<unsigned char> rowsOf(int matrices, int rows) {
  std::vector<unsigned char> memory;
  for (int row = 0; row < matrices * rows; ++row) {
    for (int column = 0; column < kRowBytes; ++column) {
      memory.push_back(byteOf(row / rows, row % rows, column));
    }
  }
  return memory;
}

/// The fragment of B in mma.m16n8k32: each lane holds the elements 4 (lane % 4) + i along K of column n = lane / 4.
/// Rows of 16 columns in memory hold two adjacent fragments.
TEST(ByteMatrices, areLoadedAsFragmentsOfB) {
  for (int count : {1, 2}) {
    std::string name = "ldmatrix.sync.aligned.m16n16.x" + std::to_string(count) + ".trans.shared.b8";
    auto operands = [](int lane) { return Slots{static_cast<uint64_t>(lane) * kRowBytes}; };
    std::vector<unsigned char> memory = rowsOf(2, 16);
    Slots results = executeWarp(name, operands, 2 * count, memory, 100).results;
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int word = 0; word < 2 * count; ++word) {
        for (int i = 0; i < 4; ++i) {
          int k = lane % 4 * 4 + i, n = lane / 4 + word % 2 * 8;
          EXPECT_EQ(results[lane * 2 * count + word] >> 8 * i & 0xff, byteOf(word / 2, k, n))
              << "lane " << lane << ", word " << word << ", byte " << i;
        }
      }
    }
  }
}

/// The fragment of a result of mma.m16n8: each lane holds the elements 2 (lane % 4) and 2 (lane % 4) + 1 of rows m =
/// lane / 4 and m + 8. These elements are rows in memory.
TEST(ByteMatrices, areStoredFromFragmentsOfC) {
  for (int count : {1, 2, 4}) {
    std::string name = "stmatrix.sync.aligned.m16n8.x" + std::to_string(count) + ".trans.shared.b8";
    auto operands = [&](int lane) {
      Slots slots = {static_cast<uint64_t>(lane) * kRowBytes};
      for (int matrix = 0; matrix < count; ++matrix) {
        uint64_t word = 0;
        for (int i = 0; i < 4; ++i) {
          int m = lane / 4 + i / 2 * 8, n = lane % 4 * 2 + i % 2;
          word |= uint64_t(byteOf(matrix, n, m)) << 8 * i;
        }
        slots.push_back(word);
      }
      return slots;
    };
    std::vector<unsigned char> before(8 * count * kRowBytes, 0xee);
    EXPECT_EQ(executeWarp(name, operands, 0, before, 100).shared, rowsOf(count, 8));
  }
}

} // namespace
} // namespace tilewright::emulator
