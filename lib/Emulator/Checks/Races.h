// Checks an access against the earlier accesses of the same bytes.
//
// The algorithm is that of C. Flanagan and S. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection" (PLDI
// 2009). It is enough to keep the last write of a byte: an earlier write either raced with it, which was reported, or
// happens before it, so that an access that is ordered after the last write is ordered after both. Reads are kept
// unless they happen before another read. Atomics do not race with each other, and are kept in the same way as reads.

#ifndef TILEWRIGHT_EMULATOR_CHECKS_RACES_H
#define TILEWRIGHT_EMULATOR_CHECKS_RACES_H

#include "Bounds.h"
#include "ProxyFences.h"
#include "Shadow.h"

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

  /// Records a read that may have been performed just now, and was checked before.
  void noteRead(uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes);

  void fenceProxy(uint32_t thread) { proxies.fence(thread); }

  /// The thread that issued an asynchronous copy at `site` has waited for it.
  void arrive(uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes);

  void synchronize(const std::vector<uint32_t> &threads);
  const VectorClocks &vectorClocks() const { return clocks; }
  void release(uint32_t thread, uint64_t address) { clocks.release(thread, address); }
  void acquire(uint32_t thread, uint64_t address) { clocks.acquire(thread, address); }

private:
  template <typename Visit> void visit(MemorySpace space, uint64_t offset, uint64_t bytes, bool isSame, Visit &&visit);
  Finding judge(const Cell &cell, const Event &event, MemorySpace space) const;
  const Event *conflict(const Cell &cell, const Event &event) const;
  bool conflicts(const Event &before, const Event &event) const;
  bool isVisibleToProxy(const Cell &cell, uint32_t reader) const;
  void settle(Cell &cell) const;
  void note(Cell &cell, const Event &event) const;
  void compact(Events &events, const Event &event) const;

  const Settings &settings;
  VectorClocks clocks;
  ProxyFences proxies;
  std::vector<Line> shared;
  SparseLines global;
  Time start = 0; // of the program: memory that was written before this time counts as not written
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_RACES_H
