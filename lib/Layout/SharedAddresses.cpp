#include "tilewright/Layout/SharedAddresses.h"

#include <algorithm>

namespace tilewright::layout {

/// The offset bits that lanes or warps affect.
static uint64_t movedByThreads(const LinearLayout &offsets) {
  uint64_t bits = 0;
  for (std::string_view in : {kLane, kWarp}) {
    for (uint64_t column : offsets.columnsOf(in)) {
      bits |= column;
    }
  }
  return bits;
}

SharedAddresses planAddresses(const LinearLayout &offsets, const std::vector<int> &registers, int64_t start) {
  SharedAddresses plan;
  auto moved = static_cast<int64_t>(movedByThreads(offsets));
  for (int reg : registers) {
    int64_t image = start ^ static_cast<int64_t>(offsets.apply(uint64_t(reg) << offsets.inStart(kRegister)));
    int64_t xorMask = image & moved;
    auto known = std::find(plan.xorMasks.begin(), plan.xorMasks.end(), xorMask);
    plan.addresses.push_back({static_cast<size_t>(known - plan.xorMasks.begin()), image & ~moved});
    if (known == plan.xorMasks.end()) {
      plan.xorMasks.push_back(xorMask);
    }
  }
  return plan;
}

LinearLayout inBytes(const LinearLayout &offsets, int64_t elementBytes) {
  int shift = log2Exact(elementBytes);
  Columns columns = offsets.columns();
  for (uint64_t &column : columns) {
    column <<= shift;
  }
  return {offsets.ins(), {{std::string(kOffset), offsets.outBits(kOffset) + shift}}, std::move(columns)};
}

} // namespace tilewright::layout
