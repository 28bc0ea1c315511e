// Simulates accesses to shared memory lane by lane.

#ifndef TILEWRIGHT_TEST_LAYOUT_SIMULATION_H
#define TILEWRIGHT_TEST_LAYOUT_SIMULATION_H

#include "tilewright/Layout/VectorAccess.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilewright::layout {

/// Wavefronts of one access of `bytes` bytes per lane. Lanes are served in groups of 128 bytes; a bank serves one word
/// at a time, to all lanes that access it.
inline int64_t simulateWavefronts(const std::vector<int64_t> &addresses, int64_t bytes) {
  int64_t group = 32 / std::max<int64_t>(1, bytes / 4), wavefronts = 0;
  for (size_t first = 0; first < addresses.size(); first += group) {
    std::map<int64_t, std::set<int64_t>> wordsOfBank;
    for (size_t lane = first; lane < std::min(addresses.size(), first + group); ++lane) {
      for (int64_t byte = 0; byte < bytes; ++byte) {
        int64_t word = (addresses[lane] + byte) / 4;
        wordsOfBank[word % 32].insert(word);
      }
    }
    size_t most = 0;
    for (const auto &[bank, words] : wordsOfBank) {
      most = std::max(most, words.size());
    }
    wavefronts += static_cast<int64_t>(most);
  }
  return wavefronts;
}

/// The maximum and minimum number of wavefronts of any access of any warp.
inline std::pair<int64_t, int64_t> simulateAccesses(const LinearLayout &offsets, const VectorAccess &access,
                                                    int elementBits) {
  int64_t most = 0, fewest = 1 << 20;
  for (int64_t warp = 0; warp < offsets.inSize(kWarp); ++warp) {
    for (const std::vector<int> &registers : registersOf(access, offsets.inSize(kRegister))) {
      std::vector<int64_t> addresses;
      for (int64_t lane = 0; lane < 32; ++lane) {
        addresses.push_back(offsets({registers.front(), lane, warp})[0] * elementBits / 8);
      }
      int64_t wavefronts = simulateWavefronts(addresses, access.elements() * elementBits / 8);
      most = std::max(most, wavefronts);
      fewest = std::min(fewest, wavefronts);
    }
  }
  return {most, fewest};
}

} // namespace tilewright::layout

#endif // TILEWRIGHT_TEST_LAYOUT_SIMULATION_H
