#include "ProgramOrder.h"

#include <algorithm>

namespace tilewright::emulator {

static bool includes(AtomicOrder order, AtomicOrder part) {
  return (static_cast<int>(order) & static_cast<int>(part)) != 0;
}

ProgramOrder::ProgramOrder(const VectorClocks &clocks, size_t threads, size_t memories)
    : clocks(clocks), last(threads, std::vector<Last>(memories)), sequence(threads), passed(threads) {}

void ProgramOrder::begin() {
  for (std::vector<Last> &each : last) {
    std::fill(each.begin(), each.end(), Last());
  }
  std::fill(sequence.begin(), sequence.end(), 0);
  std::fill(passed.begin(), passed.end(), 0);
  points.clear();
  first = 0;
}

/// Checks an access that a thread makes now against the atomics of other threads, except for number `own`.
std::optional<ProgramOrder::Conflict> ProgramOrder::conflictOf(uint32_t thread, size_t memory, uint64_t own) const {
  for (size_t i = 0; i < points.size(); ++i) {
    uint64_t number = first + i;
    for (const Execution &execution : points[i].executions) {
      if (execution.thread == thread || number == own) {
        continue;
      }
      bool isLate = number >= passed[thread] && includes(execution.order, AtomicOrder::Release);
      bool isEarly = number < passed[thread] && includes(execution.order, AtomicOrder::Acquire) &&
                     !clocks.isBefore(execution.thread, execution.time, thread);
      if (isLate || isEarly) {
        return Conflict{execution.thread, execution.site, memory, AccessKind::Atomic};
      }
    }
  }
  return std::nullopt;
}

/// Checks the atomic that a thread executes now against the other threads' accesses of a memory.
std::optional<ProgramOrder::Conflict> ProgramOrder::conflictAt(const Point &point, uint64_t number, uint32_t thread,
                                                               AtomicOrder order, size_t memory) const {
  for (uint32_t other = 0; other < last.size(); ++other) {
    if (other == thread) {
      continue;
    }
    bool hasPassed = passed[other] > number;
    const Last &after = last[other][memory], &before = hasPassed ? point.before[other][memory] : after;
    if (includes(order, AtomicOrder::Release) && before.sequence && !clocks.isBefore(other, before.time, thread)) {
      return Conflict{other, before.site, memory, before.kind};
    }
    if (includes(order, AtomicOrder::Acquire) && hasPassed && after.sequence > point.sequences[other]) {
      return Conflict{other, after.site, memory, after.kind};
    }
  }
  return std::nullopt;
}

void ProgramOrder::note(uint32_t thread, AccessKind kind, int32_t site, size_t memory) {
  last[thread][memory] = {clocks.now(thread), ++sequence[thread], site, kind};
}

/// Drops the oldest atomics that all threads have passed and that happen before everything later, or that are too many.
void ProgramOrder::forget() {
  auto isPast = [&](const Point &point) {
    bool isKnown = point.passed == last.size();
    for (const Execution &execution : point.executions) {
      isKnown &= execution.time <= clocks.past();
    }
    return isKnown;
  };
  while (!points.empty() && (points.size() > kMostPoints || isPast(points.front()))) {
    points.pop_front();
    ++first;
  }
}

/// A thread passes the atomics before a number without executing them.
void ProgramOrder::passUntil(uint32_t thread, uint64_t number) {
  for (uint64_t next = std::max(passed[thread], first); next < std::min(number, first + points.size()); ++next) {
    Point &point = points[next - first];
    point.before[thread] = last[thread];
    point.sequences[thread] = sequence[thread];
    ++point.passed;
  }
  passed[thread] = number;
}

void ProgramOrder::converge(const std::vector<uint32_t> &threads) {
  uint64_t most = 0;
  for (uint32_t thread : threads) {
    most = std::max(most, thread < passed.size() ? passed[thread] : 0);
  }
  for (uint32_t thread : threads) {
    if (thread < passed.size() && passed[thread] < most) {
      passUntil(thread, most);
    }
  }
}

std::optional<ProgramOrder::Conflict> ProgramOrder::access(uint32_t thread, AccessKind kind, int32_t site,
                                                           size_t memory) {
  constexpr uint64_t kNone = ~uint64_t(0);
  std::optional<Conflict> conflict = points.empty() ? std::nullopt : conflictOf(thread, memory, kNone);
  note(thread, kind, site, memory);
  return conflict;
}

std::vector<ProgramOrder::Conflict> ProgramOrder::pass(uint32_t thread, int32_t site, AtomicOrder order, bool active,
                                                       size_t memory) {
  uint64_t number = passed[thread];
  std::vector<Conflict> conflicts;
  forget();
  if (number < first) { // the point was dropped: this thread is too far behind the others
    ++passed[thread];
    return conflicts;
  }
  while (first + points.size() <= number) {
    points.emplace_back();
    points.back().before.resize(last.size());
    points.back().sequences.resize(last.size());
  }
  Point &point = points[number - first];
  auto add = [&](const std::optional<Conflict> &conflict) {
    if (conflict) {
      conflicts.push_back(*conflict);
    }
  };
  if (active) {
    add(conflictOf(thread, memory, number));
    for (size_t other = 0; other < last[thread].size(); ++other) {
      add(conflictAt(point, number, thread, order, other));
    }
    point.executions.push_back({thread, site, order, clocks.now(thread)});
  }
  point.before[thread] = last[thread];
  if (active) {
    note(thread, AccessKind::Atomic, site, memory);
  }
  point.sequences[thread] = sequence[thread];
  ++point.passed;
  ++passed[thread];
  return conflicts;
}

} // namespace tilewright::emulator
