#include "ProxyFences.h"

#include <algorithm>

namespace tilewright::emulator {

void ProxyFences::begin() { std::fill(fences.begin(), fences.end(), Fences()); }

/// The latest of the times that are past for all threads makes the earlier ones redundant.
void ProxyFences::dropPast(std::vector<Time> &times) const {
  auto next = std::upper_bound(times.begin(), times.end(), clocks.past());
  if (next - times.begin() > 1) {
    times.erase(times.begin(), next - 1);
  }
}

void ProxyFences::fence(uint32_t thread) {
  Fences &of = fences[thread];
  dropPast(of.times);
  of.times.push_back(clocks.now(thread));
  of.last = clocks.moment(thread);
  clocks.advance(thread);
}

bool ProxyFences::isBetween(uint32_t writer, Time time, uint32_t reader) const {
  if (fences[reader].last.isAfter(writer, time)) {
    return true;
  }
  const std::vector<Time> &times = fences[writer].times;
  auto first = std::lower_bound(times.begin(), times.end(), time);
  return first != times.end() && clocks.isBefore(writer, *first, reader);
}

} // namespace tilewright::emulator
