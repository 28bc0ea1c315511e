#include "Transfers.h"

#include <algorithm>

namespace tilewright::emulator {

static constexpr uint64_t kWordBytes = 4;
/// The widest load or store of a lane. A wider access is a bulk copy that one lane issues.
static constexpr uint32_t kWidestAccess = 16;

static int64_t divideUp(uint64_t value, uint64_t by) { return static_cast<int64_t>((value + by - 1) / by); }

static MemoryCounts oneRequest(const LaneAddresses &lanes, uint32_t bytes) {
  MemoryCounts counts;
  counts.requests = 1;
  counts.bytes = static_cast<int64_t>(__builtin_popcountll(lanes.active)) * bytes;
  return counts;
}

/// Calls `visit` with the address of each active lane of `mask`.
template <typename Visit> static void forEachAddress(const LaneAddresses &lanes, LaneMask mask, Visit visit) {
  forEachLane(lanes.active & mask, [&](int lane) { visit(lanes.of[lane]); });
}

//===- Global memory ----------------------------------------------------===//

MemoryCounts countGlobal(const LaneAddresses &lanes, uint32_t bytes, const MemoryRules &rules) {
  const uint64_t piece = rules.transferBytes;
  if (lanes.active == 0 || bytes == 0) {
    return {};
  }
  MemoryCounts counts = oneRequest(lanes, bytes);
  uint64_t addresses[kMostLanes];
  int count = 0;
  forEachAddress(lanes, ~LaneMask(0), [&](uint64_t address) { addresses[count++] = address; });
  // The addresses are mostly sorted already. In sorted order each lane adds the bytes and pieces that lie beyond those
  // of the previous one.
  if (!std::is_sorted(addresses, addresses + count)) {
    std::sort(addresses, addresses + count);
  }
  uint64_t bytesEnd = addresses[0], piecesEnd = addresses[0] / piece, different = 0;
  for (int i = 0; i < count; ++i) {
    uint64_t end = addresses[i] + bytes, pieceEnd = (end - 1) / piece + 1;
    different += end - std::max(addresses[i], bytesEnd);
    counts.transfers += pieceEnd - std::max(addresses[i] / piece, piecesEnd);
    bytesEnd = end;
    piecesEnd = pieceEnd;
  }
  counts.ideal = divideUp(different, piece);
  return counts;
}

//===- Shared memory ----------------------------------------------------===//

namespace {

/// The distinct words that lanes access at the same time, by bank.
class Banks {
public:
  explicit Banks(int banks) : banks(banks) { std::fill_n(first, banks, int16_t(-1)); }

  void add(uint64_t word) {
    int bank = static_cast<int>(word % banks);
    for (int16_t i = first[bank]; i >= 0; i = next[i]) {
      if (words[i] == word) {
        return;
      }
    }
    words[different] = word;
    next[different] = first[bank];
    first[bank] = different++;
    most = std::max<int64_t>(most, ++counts[bank]);
  }

  int64_t wavefronts() const { return most; }
  int64_t ideal() const { return divideUp(different, banks); }

private:
  /// Of a lane, whose widest access may begin within a word.
  static constexpr int kMostWords = kWidestAccess / kWordBytes + 1;

  uint64_t banks;
  int16_t first[MemoryRules::kMostBanks]; ///< a word of each bank, or -1
  int16_t next[kMostLanes * kMostWords];  ///< another one of the same bank
  uint64_t words[kMostLanes * kMostWords];
  int16_t different = 0;
  int16_t counts[MemoryRules::kMostBanks] = {};
  int64_t most = 0;
};

/// One access to shared memory, of which parts of the warp are served at a time.
class SharedAccess {
public:
  SharedAccess(const LaneAddresses &lanes, uint32_t bytes, AccessKind kind, int warpLanes, const MemoryRules &rules)
      : lanes(lanes), bytes(bytes), warpLanes(warpLanes), rules(rules),
        isReordered(kind == AccessKind::Read && bytes == kWidestAccess &&
                    rules.widestLoadOrder != MemoryRules().widestLoadOrder) {}

  void count(MemoryCounts &counts) const;

private:
  /// The lane that is served at a position, if they are reordered.
  int laneAt(int position) const {
    int lane = 0;
    for (size_t bit = 0; bit < rules.widestLoadOrder.size(); ++bit) {
      lane ^= (position >> bit & 1) != 0 ? rules.widestLoadOrder[bit] : 0;
    }
    return lane;
  }

  LaneMask lanesFrom(int position, int count) const {
    if (!isReordered) {
      return firstLanes(count) << position;
    }
    LaneMask mask = 0;
    for (int end = position + count; position < end; ++position) {
      mask |= laneBit(laneAt(position));
    }
    return mask;
  }

  bool arePaired(LaneMask mask, int bit) const;
  int lanesAtATime(int first) const;

  const LaneAddresses &lanes;
  uint32_t bytes;
  int warpLanes;
  const MemoryRules &rules;
  bool isReordered;
};

} // namespace

static uint64_t wordsEnd(uint64_t address, uint32_t bytes) { return (address + bytes - 1) / kWordBytes + 1; }

/// Whether every lane of `mask` has the address of the lane whose number differs in `bit`, or one of the two is idle.
bool SharedAccess::arePaired(LaneMask mask, int bit) const {
  for (LaneMask rest = lanes.active & mask; rest != 0; rest &= rest - 1) {
    int lane = __builtin_ctzll(rest), other = lane ^ bit;
    if (lanes.active >> other & 1 && lanes.of[lane] != lanes.of[other]) {
      return false;
    }
  }
  return true;
}

/// The number of lanes that are served at a time from position `first` on. Where pairs are joined, two adjacent parts
/// of a warp are served together if the lanes whose numbers differ in bit 0, or in bit 1, have equal addresses: for
/// example, if all lanes of a half-warp access the same 16 bytes.
int SharedAccess::lanesAtATime(int first) const {
  int together = warpLanes;
  while (together > 1 && uint64_t(together) * std::max<uint64_t>(bytes, kWordBytes) > rules.banks * kWordBytes) {
    together /= 2;
  }
  if (!rules.joinsPairs || together == warpLanes || first % (2 * together) != 0) {
    return together;
  }
  LaneMask both = lanesFrom(first, 2 * together);
  return arePaired(both, 1) || arePaired(both, 2) ? 2 * together : together;
}

void SharedAccess::count(MemoryCounts &counts) const {
  int together;
  for (int first = 0; first < warpLanes; first += together) {
    together = lanesAtATime(first);
    Banks banks(rules.banks);
    forEachAddress(lanes, lanesFrom(first, together), [&](uint64_t address) {
      for (uint64_t word = address / kWordBytes; word < wordsEnd(address, bytes); ++word) {
        banks.add(word);
      }
    });
    counts.transfers += banks.wavefronts();
    counts.ideal += banks.ideal();
  }
}

/// Each lane copies consecutive words, which have no bank conflicts.
static void countBulk(const LaneAddresses &lanes, uint32_t bytes, const MemoryRules &rules, MemoryCounts &counts) {
  forEachAddress(lanes, ~LaneMask(0), [&](uint64_t address) {
    counts.transfers += divideUp(wordsEnd(address, bytes) - address / kWordBytes, rules.banks);
  });
  counts.ideal = counts.transfers;
}

MemoryCounts countShared(const LaneAddresses &lanes, uint32_t bytes, AccessKind kind, int warpLanes,
                         const MemoryRules &rules) {
  if (lanes.active == 0 || bytes == 0) {
    return {};
  }
  MemoryCounts counts = oneRequest(lanes, bytes);
  if (bytes > kWidestAccess) {
    countBulk(lanes, bytes, rules, counts);
  } else {
    SharedAccess(lanes, bytes, kind, warpLanes, rules).count(counts);
  }
  return counts;
}

} // namespace tilewright::emulator
