#include "Races.h"

#include <algorithm>
#include <tuple>

namespace tilewright::emulator {

static bool conflict(AccessKind one, AccessKind other) {
  return one != other || (one != AccessKind::Read && one != AccessKind::Atomic);
}

static bool conflicts(const Event &before, const Event &event, const VectorClocks &clocks) {
  return emulator::conflict(before.kind(), event.kind()) && !clocks.isBefore(before.thread, before.time, event.thread);
}

static const Event *conflict(const Cell &cell, const Event &event, const VectorClocks &clocks) {
  if (conflicts(cell.write, event, clocks)) {
    return &cell.write;
  }
  if (cell.last.time <= clocks.past()) {
    return nullptr; // the `others` were recorded earlier, so that they are past too
  }
  if (conflicts(cell.last, event, clocks)) {
    return &cell.last;
  }
  AccessKind harmless = event.kind();
  bool isHarmless = harmless == AccessKind::Read || harmless == AccessKind::Atomic;
  if (!cell.others || (isHarmless && (cell.others->kinds & ~(1u << static_cast<int>(harmless))) == 0)) {
    return nullptr;
  }
  for (const Event &other : cell.others->list) {
    if (conflicts(other, event, clocks)) {
      return &other;
    }
  }
  return nullptr;
}

/// Drops redundant events: of each thread and kind all but the latest, and events that happen before the new one of the
/// same kind, since a thread that is not ordered after them is not ordered after the new one either.
static void compact(Events &events, const Event &event, const VectorClocks &clocks) {
  auto order = [](const Event &a, const Event &b) {
    return std::tuple(uint64_t(a.thread), uint64_t(a.kindBits), uint64_t(b.time)) <
           std::tuple(uint64_t(b.thread), uint64_t(b.kindBits), uint64_t(a.time));
  };
  std::vector<Event> all;
  all.swap(events.list);
  std::sort(all.begin(), all.end(), order);
  events.clear();
  for (const Event &one : all) {
    bool isRepeated =
        !events.list.empty() && events.list.back().thread == one.thread && events.list.back().kind() == one.kind();
    bool isCovered = one.kind() == event.kind() && clocks.isBefore(one.thread, one.time, event.thread);
    if (!isRepeated && !isCovered) {
      events.add(one);
    }
  }
  events.compactAt = std::max(Events::kFew, 2 * events.list.size());
}

static void note(Cell &cell, const Event &event, const VectorClocks &clocks) {
  if (event.kind() == AccessKind::Write || event.kind() == AccessKind::Copy) {
    cell.write = event;
    cell.forgetReads();
    return;
  }
  if (cell.last.time <= clocks.past()) {
    cell.forgetReads();
  } else if (cell.last.kind() != event.kind() || !clocks.isBefore(cell.last.thread, cell.last.time, event.thread)) {
    if (!cell.others) {
      cell.others = std::make_unique<Events>();
    }
    cell.others->add(cell.last);
    if (cell.others->list.size() >= cell.others->compactAt) {
      compact(*cell.others, event, clocks);
    }
  }
  cell.last = event;
}

Races::Races(const Settings &settings, size_t threads, uint64_t sharedBytes)
    : settings(settings), threads(threads), sharedClocks(threads, kAgents), globalClocks(threads, kAgents),
      proxies(sharedClocks, threads), shared((sharedBytes + Line::kBytes - 1) / Line::kBytes) {}

void Races::begin() {
  for (VectorClocks *clocks : {&sharedClocks, &globalClocks}) {
    clocks->synchronizeAll();
    clocks->synchronizeAll(); // no access has the time between the two calls, that of the start
  }
  sharedStart = sharedClocks.past();
  globalStart = globalClocks.past();
  proxies.begin();
  global.forget();
}

void Races::synchronize(const std::vector<uint32_t> &threads) {
  synchronize(threads, MemorySpace::Shared);
  synchronize(threads, MemorySpace::Global);
}

void Races::synchronize(const std::vector<uint32_t> &threads, MemorySpace space) {
  VectorClocks &clocks = clocksOf(space);
  Time before = clocks.past();
  clocks.synchronize(threads);
  if (space == MemorySpace::Global && clocks.past() != before) {
    global.forget();
  }
}

void Races::release(uint32_t thread, uint64_t address) {
  release(thread, address, MemorySpace::Shared);
  release(thread, address, MemorySpace::Global);
}

void Races::acquire(uint32_t thread, uint64_t address) {
  acquire(thread, address, MemorySpace::Shared);
  acquire(thread, address, MemorySpace::Global);
}

template <typename Visit>
void Races::visit(MemorySpace space, uint64_t offset, uint64_t bytes, bool isSame, Visit &&visit) {
  if (space == MemorySpace::Shared) {
    visitLines(offset, bytes, isSame, [&](uint64_t number) -> Line & { return shared[number]; }, visit);
  } else {
    visitLines(offset, bytes, isSame, [&](uint64_t number) -> Line & { return global.line(number); }, visit);
  }
}

Finding Races::touch(uint32_t thread, AccessKind kind, int32_t site, MemorySpace space, uint64_t offset,
                     uint64_t bytes) {
  const VectorClocks &clocks = clocksOf(space);
  Event event(clocks.now(thread), thread, kind, site);
  Finding finding;
  bool overwrites = kind == AccessKind::Write || kind == AccessKind::Copy;
  visit(space, offset, bytes, overwrites, [&](Cell &cell) {
    Finding found = judge(cell, event, space);
    if (found.isWrong) {
      finding = finding.isWrong ? finding : found;
      settle(cell, space);
    }
    note(cell, event, clocks);
  });
  return finding;
}

/// Writes up to the start of the program are those that settle() pretends.
bool Races::isVisibleToProxy(const Cell &cell, uint32_t reader) const {
  const Event &write = cell.write;
  return write.time <= sharedStart || write.kind() != AccessKind::Write || isAgent(write) ||
         proxies.isBetween(static_cast<uint32_t>(write.thread), write.time, reader);
}

Finding Races::touchByProxy(uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes) {
  Finding finding = touch(thread, AccessKind::Read, site, MemorySpace::Shared, offset, bytes);
  if (finding.isWrong || !settings.checkRaces) {
    return finding;
  }
  visit(MemorySpace::Shared, offset, bytes, /*isSame=*/false, [&](Cell &cell) {
    if (!isVisibleToProxy(cell, thread)) {
      finding = finding.isWrong ? finding : Finding{true, Report::Proxy, cell.write};
      settle(cell, MemorySpace::Shared);
    }
  });
  return finding;
}

Finding Races::copyByProxy(uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes) {
  Finding finding;
  if (settings.checkRaces) {
    visit(MemorySpace::Shared, offset, bytes, /*isSame=*/false, [&](Cell &cell) {
      if (!finding.isWrong && !isVisibleToProxy(cell, thread)) {
        finding = {true, Report::Proxy, cell.write};
      }
    });
  }
  Finding other = touch(thread, AccessKind::Copy, site, MemorySpace::Shared, offset, bytes);
  return other.isWrong ? other : finding;
}

void Races::noteRead(uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes) {
  Event event(sharedClocks.now(thread), thread, AccessKind::Read, site);
  visit(MemorySpace::Shared, offset, bytes, /*isSame=*/false, [&](Cell &cell) { note(cell, event, sharedClocks); });
}

void Races::markLanded(MemorySpace space, uint64_t offset, uint64_t bytes, const Event &copy, const Event &write) {
  visit(space, offset, bytes, /*isSame=*/false, [&](Cell &cell) {
    const Event &last = cell.write;
    if (last.kind() == AccessKind::Copy && last.thread == copy.thread && last.site == copy.site) {
      cell.write = write;
    }
  });
}

void Races::arrive(uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes, MemorySpace space) {
  Event copy(0, thread, AccessKind::Copy, site), write(clocksOf(space).now(thread), thread, AccessKind::Write, site);
  markLanded(space, offset, bytes, copy, write);
}

void Races::passToCopy(uint64_t barrier, uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes) {
  uint32_t agent = agentOf(barrier);
  issuers[agent - threads] = thread;
  Event update(sharedClocks.now(agent), agent, AccessKind::Atomic, site);
  visit(MemorySpace::Shared, offset, bytes, /*isSame=*/false, [&](Cell &cell) {
    if (cell.last.thread == thread && cell.last.site == site) {
      cell.last = update;
    }
  });
}

void Races::land(uint64_t barrier, uint32_t thread, int32_t site, uint64_t offset, uint64_t bytes) {
  uint32_t agent = agentOf(barrier);
  issuers[agent - threads] = thread;
  Event copy(0, thread, AccessKind::Copy, site), write(sharedClocks.now(agent), agent, AccessKind::Write, site);
  markLanded(MemorySpace::Shared, offset, bytes, copy, write);
}

Finding Races::judge(const Cell &cell, const Event &event, MemorySpace space) {
  const VectorClocks &clocks = clocksOf(space);
  bool isWritten = cell.write.time >= startIn(space);
  // Cells of global memory may be those of other addresses before the latest barrier.
  bool isKnown = space == MemorySpace::Shared || cell.write.time > clocks.past();
  if (settings.checkCopies && isWritten && isKnown && cell.write.kind() == AccessKind::Copy) {
    return {true, Report::Copy, cell.write};
  }
  bool isRead = event.kind() == AccessKind::Read || event.kind() == AccessKind::Atomic;
  if (settings.checkInitialized && isRead && !isWritten && space == MemorySpace::Shared) {
    return {true, Report::Uninitialized, Event()};
  }
  const Event *other = settings.checkRaces ? conflict(cell, event, clocks) : nullptr;
  return other ? Finding{true, Report::Race, *other} : Finding();
}

/// After an error the bytes are taken to be written, and their earlier accesses to be ordered.
void Races::settle(Cell &cell, MemorySpace space) const {
  cell.write = Event(startIn(space), 0, AccessKind::Write, 0);
  cell.forgetReads();
}

} // namespace tilewright::emulator
