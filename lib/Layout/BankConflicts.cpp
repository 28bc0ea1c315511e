#include "tilewright/Layout/BankConflicts.h"

#include <algorithm>
#include <cassert>

namespace tilewright::layout {

/// The number of lanes that one wavefront serves.
static int64_t concurrentLanes(int64_t bytesPerLane, const SharedMemoryBanks &memory) {
  int64_t words = std::max<int64_t>(1, bytesPerLane / memory.bankBytes);
  return std::clamp<int64_t>(memory.banks / words, 1, memory.lanes);
}

Columns lanesOfWavefront(const LinearLayout &map, int64_t bytesPerLane, const SharedMemoryBanks &memory) {
  Columns lanes = map.columnsOf(kLane);
  lanes.resize(std::min<size_t>(lanes.size(), log2Exact(concurrentLanes(bytesPerLane, memory))));
  return lanes;
}

AccessCost costOfAccess(const LinearLayout &offsets, const VectorAccess &access, int elementBits,
                        const SharedMemoryBanks &memory) {
  assert(elementBits % 8 == 0 && "elements consist of whole bytes");
  int64_t elementBytes = elementBits / 8, bytes = elementBytes * access.elements();

  Columns words;
  for (uint64_t offset : lanesOfWavefront(offsets, bytes, memory)) {
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
  cost.best = memory.lanes / concurrentLanes(bytes, memory);
  cost.wavefronts = cost.best << (rank(words) - rank(banks));
  cost.accesses = offsets.inSize(kRegister) / access.elements();
  return cost;
}

} // namespace tilewright::layout
