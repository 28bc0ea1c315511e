// The checks of copies of boxes, which one thread issues for all.

#include "CheckerState.h"

#include "../Instructions/BoxLines.h"

namespace tilewright::emulator {

static Touch touchOf(Thread &thread, const BoxCopy &copy, AccessKind kind, const Phrase &phrase, const Bytes &bytes) {
  return {thread, copy.site, kind, phrase, bytes};
}

static Bytes sharedBytesOf(const BoxCopy &copy) { return {MemorySpace::Shared, copy.shared, copy.map.boxBytes()}; }

static Bytes bytesOf(const BoxLine &line) { return {MemorySpace::Global, line.address, line.bytes}; }
static Bytes storedBytesOf(const BoxLine &line, const BoxCopy &copy) {
  return {MemorySpace::Global, line.address, storedBytes(line, copy.map)};
}

/// Calls visit(const BoxLine &) for the lines with elements in the array, until it returns false.
template <typename Visit> static bool forLinesInArray(const BoxCopy &copy, Visit &&visit) {
  bool isAllowed = true;
  forLines(copy, [&](const BoxLine &line) { isAllowed = isAllowed && (line.bytes == 0 || visit(line)); });
  return isAllowed;
}

bool Checker::issueLoad(Thread &thread, const BoxLoad &load, const TransactionBarrier &barrier) {
  const BoxCopy &copy = load.copy;
  Touch to = touchOf(thread, copy, AccessKind::Copy, {"copies", "to"}, sharedBytesOf(copy));
  bool isAllowed =
      state->mayTouch(to, copy.map.boxAlignment()) && forLinesInArray(copy, [&](const BoxLine &line) {
        return state->mayTouch(touchOf(thread, copy, AccessKind::Read, {"copies", "from"}, bytesOf(line)), 1);
      });
  if (!isAllowed || !state->remembers) {
    return isAllowed;
  }
  if (!barrier.isFenced && state->settings.checkRaces) {
    Report report{Report::Proxy, "completes a barrier that thread " + std::to_string(barrier.thread) +
                                     " initialized at " + state->describeSite(barrier.site) +
                                     ", with no fence.mbarrier_init or fence.proxy.async of that thread between them"};
    report.site = copy.site;
    report.otherThread = static_cast<int32_t>(barrier.thread);
    report.otherSite = barrier.site;
    thread.report(std::move(report));
  }
  forLinesInArray(copy, [&](const BoxLine &line) {
    Touch from = touchOf(thread, copy, AccessKind::Read, {"copies", "from"}, bytesOf(line));
    state->remember(from);
    state->follow(from);
    return true;
  });
  access({thread, copy.site, AccessKind::Atomic, MemorySpace::Shared, barrier.address, TransactionBarrier::kBytes,
          TransactionBarrier::kBytes});
  uint64_t word = state->bounds.sharedOffset(barrier.address);
  state->races.passToCopy(barrier.number, thread.index, copy.site, word, TransactionBarrier::kBytes);
  uint64_t offset = state->bounds.sharedOffset(copy.shared);
  state->checkReaders(to, offset);
  Finding finding = state->races.copyByProxy(thread.index, copy.site, offset, to.bytes.count);
  if (finding.isWrong) {
    state->explain(to, finding);
  }
  return true;
}

/// What a store does to a line of global memory. A reduction is a relaxed atomic.
static Touch destinationOf(Thread &thread, const BoxLine &line, const BoxCopy &copy) {
  AccessKind kind = copy.reduction ? AccessKind::Atomic : AccessKind::Copy;
  return touchOf(thread, copy, kind, {"copies", "to"}, storedBytesOf(line, copy));
}

bool Checker::issueStore(Thread &thread, const BoxStore &store) {
  const BoxCopy &copy = store.copy;
  Touch from = touchOf(thread, copy, AccessKind::Read, {"copies", "from"}, sharedBytesOf(copy));
  bool isAllowed = state->mayTouch(from, copy.map.boxAlignment()) && forLinesInArray(copy, [&](const BoxLine &line) {
                     return state->mayTouch(destinationOf(thread, line, copy), 1);
                   });
  if (!isAllowed || !state->remembers) {
    return isAllowed;
  }
  uint64_t offset = state->bounds.sharedOffset(copy.shared);
  Finding finding = state->races.touchByProxy(thread.index, copy.site, offset, from.bytes.count);
  if (finding.isWrong) {
    state->explain(from, finding);
  }
  for (uint64_t at = 0; state->settings.checkRaces && at < from.bytes.count; at += AsyncReads::kUnit) {
    state->asyncReads.add({store.ticket, thread.index, copy.site}, offset + at);
  }
  forLinesInArray(copy, [&](const BoxLine &line) {
    Touch to = destinationOf(thread, line, copy);
    state->remember(to);
    state->follow(to);
    return true;
  });
  return true;
}

void Checker::endStore(Thread &thread, const BoxStore &store) {
  if (state->remembers) {
    forLines(store.copy, [&](const BoxLine &line) {
      state->races.arrive(thread.index, store.copy.site, line.address, storedBytes(line, store.copy.map),
                          MemorySpace::Global);
    });
  }
}

void Checker::see(Thread &thread, TransactionBarrier &barrier, uint64_t phase) {
  uint64_t key = barrier.key(phase);
  bool hasLanded = false;
  std::vector<BoxLoad> later;
  for (BoxLoad &load : barrier.unseen) {
    if (load.phase > phase) {
      later.push_back(load);
      continue;
    }
    hasLanded = true;
    if (state->remembers) {
      state->races.land(barrier.number, load.copy.thread, load.copy.site, state->bounds.sharedOffset(load.copy.shared),
                        load.copy.map.boxBytes());
    }
  }
  barrier.unseen = std::move(later);
  if (state->settings.checkRaces) {
    if (hasLanded) {
      state->races.releaseLanded(barrier.number, key);
    }
    state->races.acquire(thread.index, key);
  }
}

void Checker::forget(uint64_t key) { state->races.forget(key); }

} // namespace tilewright::emulator
