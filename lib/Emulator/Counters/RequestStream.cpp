#include "RequestStream.h"

#include <algorithm>

namespace tilewright::emulator {

void RequestStream::access(int lane, uint64_t address, bool active, LaneMask exited) {
  uint64_t number = std::max(next[lane], first);
  next[lane] = number + 1;
  if (number >= end) {
    openUpTo(number);
  }
  Request &mine = request(number);
  mine.arrived |= laneBit(lane);
  if (active) {
    mine.lanes.active |= laneBit(lane);
    mine.lanes.of[lane] = address;
  }
  while (first != end && (request(first).arrived | exited) == all) {
    closeOldest();
  }
}

MemoryCounts RequestStream::finish() {
  while (first != end) {
    closeOldest();
  }
  MemoryCounts all = counts;
  counts = {};
  next = {};
  first = end = 0;
  return all;
}

void RequestStream::openUpTo(uint64_t number) {
  while (end <= number) {
    if (end - first == kMostOpen) {
      closeOldest();
    } else if (end - first == ring.size()) {
      grow();
    }
    request(end).arrived = 0;
    request(end).lanes.active = 0;
    ++end;
  }
}

void RequestStream::grow() {
  std::vector<Request> larger(std::max<size_t>(2 * ring.size(), 2));
  for (uint64_t number = first; number != end; ++number) {
    larger[number & (larger.size() - 1)] = request(number);
  }
  ring = std::move(larger);
}

void RequestStream::closeOldest() {
  const LaneAddresses &addresses = request(first++).lanes;
  if (addresses.active != 0) {
    counts.add(space == MemorySpace::Global ? countGlobal(addresses, bytes, *rules)
                                            : countShared(addresses, bytes, kind, lanes, *rules));
  }
}

} // namespace tilewright::emulator
