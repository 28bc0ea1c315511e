// Layouts for tests: random ones, and the families that kernels use.

#ifndef TILEWRIGHT_TEST_LAYOUT_SAMPLES_H
#define TILEWRIGHT_TEST_LAYOUT_SAMPLES_H

#include "tilewright/Hardware/NvidiaInstructions.h"
#include "tilewright/Layout/Blocked.h"

#include <algorithm>
#include <random>

namespace tilewright::layout {

using Random = std::mt19937;

/// The shared memory of NVIDIA's GPUs, and of AMD's with warps of 64 lanes.
inline constexpr SharedMemoryBanks kNvidiaBanks = {32, 32, 4, 16}, kAmdBanks = {64, 32, 4, 16};

inline Columns randomColumns(Random &random, int count, int bits) {
  Columns columns;
  for (int i = 0; i < count; ++i) {
    columns.push_back(random() & ((uint64_t(1) << bits) - 1));
  }
  return columns;
}

/// As many independent vectors as there are bits, in random order.
inline Columns randomInvertible(Random &random, int bits) {
  Columns columns;
  Span span;
  while (static_cast<int>(columns.size()) < bits) {
    uint64_t column = random() & ((uint64_t(1) << bits) - 1);
    if (span.add(column)) {
      columns.push_back(column);
    }
  }
  return columns;
}

/// A distributed layout of a 2^rows x 2^columns tile. Bits are distributed to registers, lanes and warps at random;
/// `copies` lane or warp bits are zero (replicas).
inline LinearLayout randomDistributed(Random &random, int rowBits, int columnBits, int laneBits, int warpBits,
                                      bool isUnit, int copies) {
  int total = rowBits + columnBits, threads = laneBits + warpBits;
  Columns elements;
  if (isUnit) {
    for (int bit = 0; bit < total; ++bit) {
      elements.push_back(uint64_t(1) << bit);
    }
    std::shuffle(elements.begin(), elements.end(), random);
  } else {
    elements = randomInvertible(random, total);
  }
  Columns ofThreads(elements.begin(), elements.begin() + std::min(total, threads - copies));
  Columns ofRegisters(elements.begin() + ofThreads.size(), elements.end());
  ofThreads.resize(threads, 0);
  std::shuffle(ofThreads.begin(), ofThreads.end(), random);
  Columns columns = ofRegisters;
  columns.insert(columns.end(), ofThreads.begin(), ofThreads.end());
  std::vector<Dim> ins = {{std::string(kRegister), static_cast<int>(ofRegisters.size())},
                          {std::string(kLane), laneBits},
                          {std::string(kWarp), warpBits},
                          {std::string(kBlock), 0}};
  return {ins, {{dimName(0), rowBits}, {dimName(1), columnBits}}, columns};
}

/// Layouts of loads, stores and matrix instructions for a 64 x 64 tile and four warps.
inline std::vector<LinearLayout> commonLayouts(int elementBits) {
  Shape shape = {64, 64};
  std::vector<LinearLayout> layouts;
  for (int64_t vec : {1, 2, 4, 8}) {
    for (const Shape &lanes : {Shape{1, 32}, Shape{4, 8}, Shape{8, 4}, Shape{32, 1}}) {
      layouts.push_back(blocked(shape, {{1, vec}, lanes, {4, 1}, {1, 0}}));
      layouts.push_back(blocked(shape, {{vec, 1}, lanes, {2, 2}, {0, 1}}));
    }
  }
  int64_t k = 256 / elementBits;
  for (Operand operand : {Operand::A, Operand::B, Operand::C}) {
    LinearLayout fragment = hardware::mmaFragment(operand, {16, 8, k}, elementBits);
    for (const Shape &warps : {Shape{2, 2}, Shape{4, 1}, Shape{1, 4}}) {
      layouts.push_back(mmaOperand(operand, fragment, shape, warps));
    }
  }
  layouts.push_back(
      hardware::wgmmaOperand(Operand::C, hardware::wgmmaFragment(Operand::C, {64, 64, k}, elementBits), shape, {4, 1}));
  return layouts;
}

} // namespace tilewright::layout

#endif // TILEWRIGHT_TEST_LAYOUT_SAMPLES_H
