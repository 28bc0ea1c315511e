#include "tilewright/Layout/VectorAccess.h"

#include <algorithm>

namespace tilewright::layout {

VectorAccess widestAccess(const LinearLayout &layout, std::string_view contiguous, int64_t maxElements) {
  VectorAccess access;
  int registerStart = layout.inStart(kRegister), registers = layout.inBits(kRegister);
  for (int64_t step = 1; 2 * step <= maxElements; step *= 2) {
    uint64_t unit = static_cast<uint64_t>(step) << layout.outStart(contiguous);
    int found = -1, moving = 0;
    for (int bit = 0; bit < layout.totalInBits(); ++bit) {
      uint64_t column = layout.columns()[bit];
      moving += (column & unit) != 0;
      if (column == unit && bit >= registerStart && bit < registerStart + registers) {
        found = bit - registerStart;
      }
    }
    if (found < 0 || moving > 1) {
      break;
    }
    access.registerBits.push_back(found);
  }
  return access;
}

VectorAccess commonAccess(const VectorAccess &left, const VectorAccess &right) {
  const std::vector<int> &bits = left.registerBits;
  auto end = std::mismatch(bits.begin(), bits.end(), right.registerBits.begin(), right.registerBits.end()).first;
  return {{bits.begin(), end}};
}

std::vector<std::vector<int>> registersOf(const VectorAccess &access, int64_t registers) {
  int inside = 0;
  for (int bit : access.registerBits) {
    inside |= 1 << bit;
  }
  std::vector<std::vector<int>> accesses;
  for (int first = 0; first < registers; ++first) {
    if ((first & inside) != 0) {
      continue;
    }
    std::vector<int> vector;
    for (int element = 0; element < access.elements(); ++element) {
      int reg = first;
      for (size_t i = 0; i < access.registerBits.size(); ++i) {
        reg |= (element >> i & 1) << access.registerBits[i];
      }
      vector.push_back(reg);
    }
    accesses.push_back(std::move(vector));
  }
  return accesses;
}

} // namespace tilewright::layout
