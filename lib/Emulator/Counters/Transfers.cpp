#include "Transfers.h"

#include <algorithm>

namespace tilewright::emulator {

static constexpr uint64_t kSectorBytes = 32;
static constexpr uint64_t kWordBytes = 4;
static constexpr int kBanks = 32;
static constexpr uint64_t kWavefrontBytes = kBanks * kWordBytes;
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

MemoryCounts countGlobal(const LaneAddresses &lanes, uint32_t bytes) {
  if (lanes.active == 0 || bytes == 0) {
    return {};
  }
  MemoryCounts counts = oneRequest(lanes, bytes);
  uint64_t addresses[kMostLanes];
  int count = 0;
  forEachAddress(lanes, ~LaneMask(0), [&](uint64_t address) { addresses[count++] = address; });
  // The addresses are mostly sorted already. In sorted order each lane adds the bytes and sectors that lie beyond those
  // of the previous one.
  if (!std::is_sorted(addresses, addresses + count)) {
    std::sort(addresses, addresses + count);
  }
  uint64_t bytesEnd = addresses[0], sectorsEnd = addresses[0] / kSectorBytes, different = 0;
  for (int i = 0; i < count; ++i) {
    uint64_t end = addresses[i] + bytes, sectorEnd = (end - 1) / kSectorBytes + 1;
    different += end - std::max(addresses[i], bytesEnd);
    counts.transfers += sectorEnd - std::max(addresses[i] / kSectorBytes, sectorsEnd);
    bytesEnd = end;
    sectorsEnd = sectorEnd;
  }
  counts.ideal = divideUp(different, kSectorBytes);
  return counts;
}

//===- Shared memory ----------------------------------------------------===//

namespace {

/// The distinct words that lanes access at the same time, by bank.
class Banks {
public:
  void add(uint64_t word) {
    int bank = static_cast<int>(word % kBanks);
    uint64_t *begin = words[bank], *end = begin + counts[bank];
    if (std::find(begin, end, word) != end) {
      return;
    }
    *end = word;
    most = std::max<int64_t>(most, ++counts[bank]);
    ++different;
  }

  int64_t wavefronts() const { return most; }
  int64_t ideal() const { return divideUp(different, kBanks); }

private:
  uint64_t words[kBanks][kMostLanes]; ///< no lane has two words in one bank
  uint8_t counts[kBanks] = {};
  int64_t most = 0;
  uint64_t different = 0;
};

} // namespace

static int lanesAtATime(uint32_t bytes) {
  int lanes = kBanks;
  while (uint64_t(lanes) * bytes > kWavefrontBytes) {
    lanes /= 2;
  }
  return lanes;
}

static uint64_t wordsEnd(uint64_t address, uint32_t bytes) { return (address + bytes - 1) / kWordBytes + 1; }

/// Whether every lane of `mask` has the address of the lane whose number differs in `bit`, or one of the two is idle.
static bool arePaired(const LaneAddresses &lanes, LaneMask mask, int bit) {
  for (LaneMask rest = lanes.active & mask; rest != 0; rest &= rest - 1) {
    int lane = __builtin_ctzll(rest), other = lane ^ bit;
    if (lanes.active >> other & 1 && lanes.of[lane] != lanes.of[other]) {
      return false;
    }
  }
  return true;
}

/// The number of lanes that are served at a time from lane `first` on. Two adjacent parts of a warp are served together
/// if the lanes whose numbers differ in bit 0, or in bit 1, have equal addresses: for example, if all lanes of a
/// half-warp access the same 16 bytes.
static int lanesAtATime(const LaneAddresses &lanes, uint32_t bytes, int first) {
  int together = lanesAtATime(bytes);
  LaneMask both = firstLanes(std::min(2 * together, kBanks)) << first;
  bool canJoin = together < kBanks && first % (2 * together) == 0;
  return canJoin && (arePaired(lanes, both, 1) || arePaired(lanes, both, 2)) ? 2 * together : together;
}

/// Each lane copies consecutive words, which have no bank conflicts.
static void countBulk(const LaneAddresses &lanes, uint32_t bytes, MemoryCounts &counts) {
  forEachAddress(lanes, ~LaneMask(0), [&](uint64_t address) {
    counts.transfers += divideUp(wordsEnd(address, bytes) - address / kWordBytes, kBanks);
  });
  counts.ideal = counts.transfers;
}

MemoryCounts countShared(const LaneAddresses &lanes, uint32_t bytes) {
  if (lanes.active == 0 || bytes == 0) {
    return {};
  }
  MemoryCounts counts = oneRequest(lanes, bytes);
  if (bytes > kWidestAccess) {
    countBulk(lanes, bytes, counts);
    return counts;
  }
  int together;
  const int end = lanes.active > kAllLanes ? kMostLanes : kLanes;
  for (int lane = 0; lane < end; lane += together) {
    together = lanesAtATime(lanes, bytes, lane);
    Banks banks;
    forEachAddress(lanes, firstLanes(together) << lane, [&](uint64_t address) {
      for (uint64_t word = address / kWordBytes; word < wordsEnd(address, bytes); ++word) {
        banks.add(word);
      }
    });
    counts.transfers += banks.wavefronts();
    counts.ideal += banks.ideal();
  }
  return counts;
}

} // namespace tilewright::emulator
