// The counts of a block and of a launch.
//
// There is a stream of requests for each warp, site, access kind, memory space and width; most sites have one stream
// per warp. Streams are reused by the following blocks. When a block ends, the counts of its streams are summed by
// site.

#include "tilewright/Emulator/Counters.h"

#include "InstructionCounts.h"
#include "RequestStream.h"

#include <algorithm>
#include <deque>

namespace tilewright::emulator {

//===- Sums -------------------------------------------------------------===//

void MemoryCounts::add(const MemoryCounts &other) {
  requests += other.requests;
  bytes += other.bytes;
  transfers += other.transfers;
  ideal += other.ideal;
}

void SiteCounts::add(const SiteCounts &other) {
  globalLoads.add(other.globalLoads);
  globalStores.add(other.globalStores);
  sharedLoads.add(other.sharedLoads);
  sharedStores.add(other.sharedStores);
  barriers += other.barriers;
  for (int kind = 0; kind < kInstructionClasses; ++kind) {
    instructions[kind] += other.instructions[kind];
  }
}

void Profile::add(const std::vector<SiteCounts> &counts) {
  std::lock_guard<std::mutex> lock(mutex);
  for (size_t site = 0; site < std::min(sites.size(), counts.size()); ++site) {
    sites[site].add(counts[site]);
  }
}

static MemoryCounts &memoryOf(SiteCounts &counts, MemorySpace space, AccessKind kind) {
  if (space == MemorySpace::Global) {
    return kind == AccessKind::Read ? counts.globalLoads : counts.globalStores;
  }
  return kind == AccessKind::Read ? counts.sharedLoads : counts.sharedStores;
}

//===- A block ----------------------------------------------------------===//

struct Counters::State {
  explicit State(Launch &launch)
      : launch(launch), lanes(launch.kernel.lanes), warps((launch.kernel.threads + lanes - 1) / lanes),
        sites(std::max<size_t>(launch.kernel.sites.size(), 1)),
        instructions(sites.size(), launch.kernel.threads, lanes), streamsOf(sites.size() * warps, nullptr) {}

  /// The streams of one site and warp form a linked list.
  struct Stream {
    AccessKind kind;
    MemorySpace space;
    uint32_t bytes;
    size_t site;
    Stream *next;
    RequestStream requests;

    bool isOf(const Access &access) const {
      return bytes == access.bytes && kind == access.kind && space == access.space;
    }
  };

  /// Site 0 stands for all unknown sites.
  size_t siteOf(int32_t site) const { return static_cast<size_t>(site) < sites.size() ? site : 0; }

  Stream &streamOf(const Access &access);
  void finish();

  Launch &launch;
  int lanes; ///< of a warp
  size_t warps;
  std::vector<SiteCounts> sites;
  InstructionCounts instructions;
  std::deque<Stream> streams;
  std::vector<Stream *> streamsOf; ///< the first stream of each site and warp
};

Counters::State::Stream &Counters::State::streamOf(const Access &access) {
  size_t site = siteOf(access.site);
  Stream *&head = streamsOf[site * warps + access.thread.index / lanes];
  for (Stream *stream = head; stream; stream = stream->next) {
    if (stream->isOf(access)) {
      return *stream;
    }
  }
  streams.push_back({access.kind,
                     access.space,
                     access.bytes,
                     site,
                     head,
                     {access.space, access.kind, access.bytes, lanes, launch.kernel.memory}});
  head = &streams.back();
  return *head;
}

void Counters::State::finish() {
  for (Stream &stream : streams) {
    memoryOf(sites[stream.site], stream.space, stream.kind).add(stream.requests.finish());
  }
  instructions.finish(sites);
  for (SiteCounts &site : sites) {
    site.barriers = site.instructions[static_cast<size_t>(InstructionClass::Barrier)];
  }
}

Counters::Counters(Launch &launch) : state(std::make_unique<State>(launch)) {}
Counters::~Counters() = default;

void Counters::begin() {
  // A block that was stopped may have left open requests.
  state->finish();
  std::fill(state->sites.begin(), state->sites.end(), SiteCounts());
}

void Counters::access(const Access &access, bool active) {
  const Thread &thread = access.thread;
  state->streamOf(access).requests.access(static_cast<int>(thread.lane()), access.address, active, thread.warp->exited);
}

void Counters::rows(int32_t site, AccessKind kind, const uint64_t *addresses, int count) {
  // Rows have 16 bytes and are served eight at a time, like accesses of 16 bytes by the lanes of a warp.
  static constexpr uint32_t kRowBytes = 16;
  LaneAddresses lanes;
  for (int row = 0; row < std::min(count, kLanes); ++row) {
    lanes.active |= laneBit(row);
    lanes.of[row] = addresses[row];
  }
  memoryOf(state->sites[state->siteOf(site)], MemorySpace::Shared, kind)
      .add(countShared(lanes, kRowBytes, kind, kLanes, state->launch.kernel.memory));
}

void Counters::count(Thread &thread, int32_t site, InstructionClass kind, int64_t instructions) {
  state->instructions.count(thread.index, state->siteOf(site), kind, instructions);
}

void Counters::end() {
  state->finish();
  if (state->launch.profile) {
    state->launch.profile->add(state->sites);
  }
  std::fill(state->sites.begin(), state->sites.end(), SiteCounts());
}

} // namespace tilewright::emulator
