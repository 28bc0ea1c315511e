// The proxy fences of a block: fence.proxy.async.
//
// Asynchronous instructions access shared memory through another proxy than the loads, stores and cp.async of threads.
// A write of a thread is visible to a wgmma that is ordered after it only if there is a proxy fence between them,
// either of the thread that wrote, or of the thread that reads:
//
//     thread 1   write   fence.proxy.async   barrier                        thread 1   write   barrier
//     thread 0                               barrier   wgmma                thread 0           barrier   fence   wgmma

#ifndef TILEWRIGHT_EMULATOR_CHECKS_PROXYFENCES_H
#define TILEWRIGHT_EMULATOR_CHECKS_PROXYFENCES_H

#include "VectorClocks.h"

namespace tilewright::emulator {

class ProxyFences {
public:
  ProxyFences(VectorClocks &clocks, size_t threads) : clocks(clocks), fences(threads) {}
  /// Must be called before a program runs.
  void begin();

  /// A thread executes a fence. Its later events have a later time.
  void fence(uint32_t thread);

  /// Whether there is a fence between a write of `writer` at `time` and what `reader` does now.
  bool isBetween(uint32_t writer, Time time, uint32_t reader) const;

private:
  struct Fences {
    std::vector<Time> times; ///< ascending
    VectorClocks::Moment last;
  };
  void dropPast(std::vector<Time> &times) const;

  VectorClocks &clocks;
  std::vector<Fences> fences; // of each thread
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_PROXYFENCES_H
