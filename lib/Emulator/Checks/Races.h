// What is wrong with what a thread does to bytes, given what was done to them before.
//
// After C. Flanagan and S. Freund, "FastTrack: Efficient and Precise Dynamic Race Detection" (PLDI 2009): of the writes
// of a byte the last is enough, since an earlier one that some thread does not know of raced with it already. Of reads
// all are kept that are not before another. Atomics do not race with each other, and are kept as reads are.

#ifndef TILEWRIGHT_EMULATOR_CHECKS_RACES_H
#define TILEWRIGHT_EMULATOR_CHECKS_RACES_H

#include "Bounds.h"
#include "Shadow.h"

namespace tilewright::emulator {

/// What was found out about an access; the other party where there is one.
struct Finding {
  bool isWrong = false;
  Report::Kind kind = Report::Race;
  Event other;
};

class Races {
public:
  Races(const Settings &settings, size_t threads, uint64_t sharedBytes);

  /// Nothing is known of any memory, and everything that was done is past.
  void begin();

  /// Notes what a thread does to bytes. `offset` is an address, or an offset in shared memory. After something was
  /// found, the bytes remember only this, so that one fault is not found again by everybody who comes later.
  Finding touch(uint32_t thread, AccessKind kind, int32_t site, MemorySpace space, uint64_t offset, uint64_t bytes);

  /// A copy has arrived as far as the thread is concerned that issued it at `site`.
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
  void settle(Cell &cell) const;
  void note(Cell &cell, const Event &event) const;
  void compact(Events &events, const Event &event) const;

  const Settings &settings;
  VectorClocks clocks;
  std::vector<Line> shared;
  SparseLines global;
  Time start = 0; // of the block: what was written before this time counts as not written
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_RACES_H
