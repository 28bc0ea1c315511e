#include "tilewright/Layout/BankConflicts.h"

#include <algorithm>
#include <cassert>

namespace tilewright::layout {

static constexpr int kWarpBits = 5;

int concurrentLaneBits(int64_t bytesPerLane) {
  int64_t words = std::max<int64_t>(1, bytesPerLane / kWordBytes);
  return kWarpBits - log2Exact(words);
}

AccessCost costOfAccess(const LinearLayout &offsets, const VectorAccess &access, int elementBits) {
  assert(elementBits % 8 == 0 && "elements consist of whole bytes");
  int64_t elementBytes = elementBits / 8, bytes = elementBytes * access.elements();
  auto wordOf = [&](uint64_t offset) { return offset * elementBytes / kWordBytes; };

  Columns words;
  Columns lanes = offsets.columnsOf(kLane);
  for (int bit = 0; bit < std::min<int>(concurrentLaneBits(bytes), static_cast<int>(lanes.size())); ++bit) {
    words.push_back(wordOf(lanes[bit]));
  }
  for (int64_t word = 1; word * kWordBytes < bytes; word *= 2) {
    words.push_back(word);
  }
  Columns banks;
  for (uint64_t word : words) {
    banks.push_back(word & ((1 << kBankBits) - 1));
  }
  AccessCost cost;
  cost.best = int64_t(1) << (kWarpBits - concurrentLaneBits(bytes));
  cost.wavefronts = cost.best << (rank(words) - rank(banks));
  cost.accesses = offsets.inSize(kRegister) / access.elements();
  return cost;
}

} // namespace tilewright::layout
