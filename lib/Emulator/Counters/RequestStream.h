// Assembles the requests of a warp from the accesses of its lanes, which arrive one by one in any order.
//
// The n-th access of each lane belongs to request n. A request is open until all lanes have arrived. Each lane visits
// the requests in order, so that the oldest open request is complete first:
//
//     lane          0   1   2   3          first = 4: complete, counted and forgotten
//     accesses      7   4   5   7          requests 4 to 6 are open; lane 1 completes number 4

#ifndef TILEWRIGHT_LIB_EMULATOR_COUNTERS_REQUESTSTREAM_H
#define TILEWRIGHT_LIB_EMULATOR_COUNTERS_REQUESTSTREAM_H

#include "Transfers.h"

namespace tilewright::emulator {

/// The requests of one warp at one site, of one space, kind and width.
class RequestStream {
public:
  /// `lanes` is the number of lanes of a warp.
  RequestStream(MemorySpace space, AccessKind kind, uint32_t bytes, int lanes, const MemoryRules &rules)
      : space(space), kind(kind), bytes(bytes), lanes(lanes), all(firstLanes(lanes)), rules(&rules) {}

  /// Adds a lane's next access. Requests do not wait for the lanes in `exited`.
  void access(int lane, uint64_t address, bool active, LaneMask exited);

  /// Closes the open requests, returns the counts of all requests, and resets the stream.
  MemoryCounts finish();

private:
  struct Request {
    LaneMask arrived = 0;
    LaneAddresses lanes;
  };

  /// The most open requests. It bounds the memory if lanes never arrive; a lane that is further behind joins the oldest
  /// open request.
  static constexpr uint64_t kMostOpen = 1 << 15;

  Request &request(uint64_t number) { return ring[number & (ring.size() - 1)]; }
  void openUpTo(uint64_t number);
  void grow();
  void closeOldest();

  MemorySpace space;
  AccessKind kind;
  uint32_t bytes;
  int lanes;    ///< of the warp
  LaneMask all; ///< these
  const MemoryRules *rules;
  std::array<uint64_t, kMostLanes> next = {}; ///< the next request of each lane
  uint64_t first = 0, end = 0;                ///< the range of open requests
  std::vector<Request> ring;                  ///< request n is at n modulo the size, which is a power of two
  MemoryCounts counts;                        ///< of the requests before `first`
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_COUNTERS_REQUESTSTREAM_H
