#include "VectorClocks.h"

#include <algorithm>

namespace tilewright::emulator {

VectorClocks::VectorClocks(size_t threads, size_t agents) : threadCount(threads), clocks(threads + agents) {
  synchronizeAll();
}

void VectorClocks::synchronizeAll() {
  Time latest = 0;
  for (const Clock &clock : clocks) {
    latest = std::max(latest, clock.now);
  }
  pastTime = std::max<Time>(latest, 1);
  for (Clock &clock : clocks) {
    clock.now = pastTime + 1;
    clock.known.reset();
  }
  released.clear();
}

void VectorClocks::include(Times &times, const Knowledge &known) const {
  if (!known) {
    return;
  }
  for (size_t i = 0; i < times.size(); ++i) {
    times[i] = std::max(times[i], (*known)[i]);
  }
}

void VectorClocks::synchronize(const std::vector<uint32_t> &threads) {
  if (threads.size() == threadCount) {
    return synchronizeAll();
  }
  if (threads.size() < 2) {
    return;
  }
  auto times = std::make_shared<Times>(clocks.size());
  const Times *included = nullptr; // adjacent threads mostly share one vector
  for (uint32_t thread : threads) {
    const Knowledge &known = clocks[thread].known;
    if (known.get() != included) {
      include(*times, known);
      included = known.get();
    }
  }
  for (uint32_t thread : threads) {
    Clock &clock = clocks[thread];
    (*times)[thread] = clock.now++;
    clock.known = times;
  }
}

void VectorClocks::release(uint32_t thread, uint64_t address) {
  Clock &clock = clocks[thread];
  Released &at = released[address];
  bool isKnown = at.time == 0 || (at.thread == thread && at.known == clock.known);
  if (isKnown) {
    at.known = clock.known;
  } else {
    auto times = std::make_shared<Times>(clocks.size());
    include(*times, at.known);
    include(*times, clock.known);
    (*times)[at.thread] = std::max((*times)[at.thread], at.time);
    at.known = std::move(times);
  }
  at.thread = thread;
  at.time = clock.now++;
}

void VectorClocks::acquire(uint32_t thread, uint64_t address) {
  auto found = released.find(address);
  if (found == released.end()) {
    return;
  }
  const Released &at = found->second;
  Clock &clock = clocks[thread];
  bool knowsRest = !at.known || at.known == clock.known;
  if (knowsRest && isBefore(at.thread, at.time, thread)) {
    return;
  }
  auto times = std::make_shared<Times>(clocks.size());
  include(*times, at.known);
  include(*times, clock.known);
  (*times)[at.thread] = std::max((*times)[at.thread], at.time);
  clock.known = std::move(times);
}

} // namespace tilewright::emulator
