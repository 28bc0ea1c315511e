#include "tilewright/Layout/BankConflicts.h"

#include <algorithm>
#include <cassert>

namespace tilewright::layout {

int64_t SharedMemoryBanks::lanesAtATime(int64_t bytesPerLane) const {
  int64_t words = std::max<int64_t>(1, bytesPerLane / bankBytes);
  return std::clamp<int64_t>(banks / words, 1, lanes);
}

Columns lanesOfWavefront(const LinearLayout &map, int64_t bytesPerLane, const SharedMemoryBanks &memory, bool isLoad) {
  Columns lanes = map.columnsOf(kLane), served;
  size_t count = std::min<size_t>(lanes.size(), log2Exact(memory.lanesAtATime(bytesPerLane)));
  for (size_t position = 0; position < count; ++position) {
    uint64_t image = 0;
    for (size_t bit = 0; bit < lanes.size(); ++bit) {
      bool isServed = (memory.order(bytesPerLane, isLoad)[position] >> bit & 1) != 0;
      image ^= isServed ? lanes[bit] : 0;
    }
    served.push_back(image);
  }
  return served;
}

AccessCost costOfAccess(const LinearLayout &offsets, const VectorAccess &access, int elementBits,
                        const SharedMemoryBanks &memory, bool isLoad) {
  assert(elementBits % 8 == 0 && "elements consist of whole bytes");
  int64_t elementBytes = elementBits / 8, bytes = elementBytes * access.elements();

  Columns words;
  for (uint64_t offset : lanesOfWavefront(offsets, bytes, memory, isLoad)) {
    words.push_back(offset * elementBytes / memory.bankBytes);
  }
  for (int64_t word = 1; word * memory.bankBytes < bytes; word *= 2) {
    words.push_back(word);
  }
  Columns banks;
  for (uint64_t word : words) {
    banks.push_back(word & (memory.banks - 1));
  }
  AccessCost cost;
  cost.best = memory.lanes / memory.lanesAtATime(bytes);
  cost.wavefronts = cost.best << (rank(words) - rank(banks));
  cost.accesses = offsets.inSize(kRegister) / access.elements();
  return cost;
}

} // namespace tilewright::layout
