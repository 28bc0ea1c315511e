// Checks an access against the earlier accesses of the same bytes.
//
// The algorithm is that of C. Flanagan and S. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection" (PLDI
// 2009). It is enough to keep the last write of a byte: an earlier write either raced with it, which was reported, or
// happens before it, so that an access that is ordered after the last write is ordered after both. Reads are kept
// unless they happen before another read. Atomics do not race with each other, and are kept in the same way as reads.
//
// Barriers of AMD's GPUs may order accesses of shared memory only, so that each memory space has clocks of its own.

#ifndef TILEWRIGHT_EMULATOR_CHECKS_RACES_H
#define TILEWRIGHT_EMULATOR_CHECKS_RACES_H

#include "Bounds.h"
#include "ProxyFences.h"
#include "Shadow.h"

#include <array>

namespace tilewright::emulator {

/// The result of checking an access, with the other access if the error involves two.
struct Finding {
  bool isWrong = false;
  Report::Kind kind = Report::Race;
  Event other;
};

class Races {
public:
  Races(const Settings &settings, size_t threads, uint64_t sharedBytes);

  /// Must be called before a program runs: shared memory is uninitialized, and all earlier accesses are ordered.
  void begin();

  /// Checks and records an access. `offset` is an address, or an offset in shared memory. After an error the bytes keep
  /// only this access, so that the same error is not reported again for every later access.
  Finding touch(uint32_t thread, AccessKind kind, int32_t site, MemorySpace space, uint64_t offset, uint64_t bytes);

  /// The same for a read of shared memory by an asynchronous instruction, which needs a proxy fence as well.
  Finding touchByProxy(uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes);

  /// The same for a write to shared memory by an asynchronous copy in flight, which needs a proxy fence after writes of
  /// threads.
  Finding copyByProxy(uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes);

  /// Records a read that may have been performed just now, and was checked before.
  void noteRead(uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes);

  void fenceProxy(uint32_t thread) { proxies.fence(thread); }

  /// The thread that issued an asynchronous copy at `site` has waited for it.
  void arrive(uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes, MemorySpace space = MemorySpace::Shared);

  /// A copy to shared memory that the thread issued at `site` has completed. It counts as a write by an agent, which is
  /// not one of the threads: they are ordered after it if they acquire what the agent releases. Copies that complete
  /// phases of one barrier are of the same agent; barriers share agents if there are many.
  void land(uint64_t barrier, uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes);
  /// The copy that the thread has issued at `site` will update the barrier: the thread's access to the barrier is the
  /// agent's from now on.
  void passToCopy(uint64_t barrier, uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes);
  void releaseLanded(uint64_t barrier, uint64_t key) { release(agentOf(barrier), key); }
  bool isAgent(const Event &event) const { return event.thread >= threads; }
  /// The thread that issued the agent's last copy.
  uint32_t issuerOf(const Event &write) const { return issuers[write.thread - threads]; }
  void forget(uint64_t key) {
    sharedClocks.forget(key);
    globalClocks.forget(key);
  }

  void synchronize(const std::vector<uint32_t> &threads);
  void synchronize(const std::vector<uint32_t> &threads, MemorySpace space);
  /// Those of global memory.
  const VectorClocks &vectorClocks() const { return globalClocks; }
  void release(uint32_t thread, uint64_t address);
  void acquire(uint32_t thread, uint64_t address);
  void release(uint32_t thread, uint64_t address, MemorySpace space) { clocksOf(space).release(thread, address); }
  void acquire(uint32_t thread, uint64_t address, MemorySpace space) { clocksOf(space).acquire(thread, address); }

private:
  template <typename Visit> void visit(MemorySpace space, uint64_t offset, uint64_t bytes, bool isSame, Visit &&visit);
  VectorClocks &clocksOf(MemorySpace space) { return space == MemorySpace::Shared ? sharedClocks : globalClocks; }
  Finding judge(const Cell &cell, const Event &event, MemorySpace space);
  bool isVisibleToProxy(const Cell &cell, uint32_t reader) const;
  void settle(Cell &cell, MemorySpace space) const;
  Time startIn(MemorySpace space) const { return space == MemorySpace::Shared ? sharedStart : globalStart; }
  void markLanded(MemorySpace space, uint64_t offset, uint64_t bytes, const Event &copy, const Event &write);
  uint32_t agentOf(uint64_t barrier) const { return static_cast<uint32_t>(threads + barrier % kAgents); }

  static constexpr size_t kAgents = 16;

  const Settings &settings;
  const size_t threads;
  std::array<uint32_t, kAgents> issuers{}; // of the last copy of each agent
  VectorClocks sharedClocks, globalClocks;
  ProxyFences proxies;
  std::vector<Line> shared;
  SparseLines global;
  Time sharedStart = 0, globalStart = 0; // of the program: memory that was written before counts as not written
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_RACES_H
