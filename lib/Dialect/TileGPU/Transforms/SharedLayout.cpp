#include "SharedLayout.h"

#include "tilewright/Hardware/NvidiaInstructions.h"

namespace tilewright::tilegpu {

using layout::LinearLayout;
using layout::SwizzleChoice;

/// Fewer wavefronts, then fewer instructions.
static bool isBetter(const SwizzleChoice &choice, const SwizzleChoice &other) {
  auto costs = [](const SwizzleChoice &c) { return std::pair(c.total(), c.write.accesses + c.read.accesses); };
  return costs(choice) < costs(other);
}

/// Whether a read takes whole rows, their elements in order.
static bool readsRows(const SwizzleChoice &choice, int elementsPerRow) {
  const std::vector<int> &bits = choice.readVector.registerBits;
  for (size_t bit = 0; bit < bits.size(); ++bit) {
    if (bits[bit] != static_cast<int>(bit)) {
      return false;
    }
  }
  return choice.readVector.elements() == elementsPerRow;
}

SwizzleChoice chooseSharedLayout(const LinearLayout &write, const LinearLayout &read, int64_t elementBytes,
                                 const hardware::NvidiaInfo &target) {
  int bits = static_cast<int>(elementBytes * 8);
  SwizzleChoice best = layout::chooseSwizzle(write, read, bits);
  for (const hardware::MatrixMove &move : hardware::matrixMoves()) {
    if (move.isStore || (move.targets & target.target) == 0) {
      continue;
    }
    if (std::optional<LinearLayout> rows = move.rowsOf(read, bits)) {
      SwizzleChoice choice = layout::chooseSwizzle(write, *rows, bits);
      if (isBetter(choice, best) && readsRows(choice, 128 / bits)) {
        best = std::move(choice);
      }
    }
  }
  return best;
}

} // namespace tilewright::tilegpu
