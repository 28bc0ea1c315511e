// Puts together the requests of a warp from the accesses of its lanes, which come one by one in any order.
//
// The n-th access of each lane belongs to request n. Requests are open while lanes are missing; as lanes come to them
// in order, the oldest is complete first:
//
//     lane          0   1   2   3          first = 4: complete, counted and forgotten
//     accesses      7   4   5   7          requests 4 to 6 are open; lane 1 completes number 4

#ifndef TILEWRIGHT_LIB_EMULATOR_COUNTERS_REQUESTSTREAM_H
#define TILEWRIGHT_LIB_EMULATOR_COUNTERS_REQUESTSTREAM_H

#include "Transfers.h"

namespace tilewright::emulator {

/// The requests of one warp at one site, of one space and width.
class RequestStream {
public:
  RequestStream(MemorySpace space, uint32_t bytes) : space(space), bytes(bytes) {}

  /// A lane's next access. `exited` are the lanes that no request waits for.
  void access(int lane, uint64_t address, bool active, uint32_t exited);

  /// Counts the requests that are still open as well, and returns the counts of all. The next access is the first one.
  MemoryCounts finish();

private:
  struct Request {
    uint32_t arrived = 0;
    LaneAddresses lanes;
  };

  /// So many requests are open at most: a lane further behind than this joins the oldest one, and memory stays bounded
  /// where lanes stay away for good.
  static constexpr uint64_t kMostOpen = 1 << 15;

  Request &request(uint64_t number) { return ring[number & (ring.size() - 1)]; }
  void openUpTo(uint64_t number);
  void grow();
  void closeOldest();

  MemorySpace space;
  uint32_t bytes;
  std::array<uint64_t, kLanes> next = {}; ///< request of each lane
  uint64_t first = 0, end = 0;            ///< the requests that are open
  std::vector<Request> ring;              ///< of a power of two places, for request number n at n modulo that
  MemoryCounts counts;                    ///< of the requests before `first`
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_COUNTERS_REQUESTSTREAM_H
