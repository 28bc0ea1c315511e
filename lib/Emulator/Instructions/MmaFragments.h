// The fragments of mma.sync: which lane and register hold each element of its matrices. One formula covers all sections
// "Matrix Fragments for mma" of the PTX ISA (9.7.14.5.1 to 9.7.14.5.11).
//
// With n = 8, lane l belongs to group l / 4 and is number l % 4 in it. A register holds P elements along K:
//
//   A (m x k)  register r: row l / 4 + 8 (r % 2), k = 4 P (r / 2) + P (l % 4) + part   (m = 8: row l / 4, k from r)
//   B (k x 8)  register r: column l / 4,          k = 4 P r + P (l % 4) + part
//   C (m x 8)  element i:  row l / 4 + 8 (i / 2), column 2 (l % 4) + i % 2

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTIONS_MMAFRAGMENTS_H
#define TILEWRIGHT_EMULATOR_INSTRUCTIONS_MMAFRAGMENTS_H

#include "tilewright/Emulator/Block.h"

namespace tilewright::emulator {

constexpr int kMmaN = 8;
constexpr int kMostM = 16;
constexpr int kMostK = 32;

/// The sizes of an mma, and the number of elements of A and B in a register.
struct MmaShape {
  int m, k, perWord;

  constexpr int wordsA() const { return m * k / kLanes / perWord; }
  constexpr int wordsB() const { return kMmaN * k / kLanes / perWord; }
  constexpr int elementsC() const { return m * kMmaN / kLanes; }
};

/// Calls each(lane, word, part, row, k).
template <typename Each> void forA(const MmaShape &shape, Each each) {
  int rowBlocks = shape.m / 8;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int word = 0; word < shape.wordsA(); ++word) {
      for (int part = 0; part < shape.perWord; ++part) {
        each(lane, word, part, lane / 4 + word % rowBlocks * 8,
             (word / rowBlocks * 4 + lane % 4) * shape.perWord + part);
      }
    }
  }
}

/// Calls each(lane, word, part, k, column).
template <typename Each> void forB(const MmaShape &shape, Each each) {
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int word = 0; word < shape.wordsB(); ++word) {
      for (int part = 0; part < shape.perWord; ++part) {
        each(lane, word, part, (word * 4 + lane % 4) * shape.perWord + part, lane / 4);
      }
    }
  }
}

/// Calls each(lane, element, row, column).
template <typename Each> void forC(const MmaShape &shape, Each each) {
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int element = 0; element < shape.elementsC(); ++element) {
      each(lane, element, lane / 4 + element / 2 * 8, lane % 4 * 2 + element % 2);
    }
  }
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTIONS_MMAFRAGMENTS_H
