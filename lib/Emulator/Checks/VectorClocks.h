// Vector clocks: the happens-before relation among the threads of a block.
//
// Each thread has a time (`now`), which advances whenever it synchronizes or releases, and a vector with the latest
// time of every other thread that is ordered before it (`known`). An event of another thread happens before what this
// thread does now if its time is not after that thread's entry in this thread's vector.
//
//     thread 0   write at time 1   barrier
//     thread 1                     barrier   read: its vector has time 1 for thread 0, so the write happens before it
//
// Nearly all synchronization is a barrier of the whole block. It orders all earlier events before all later ones, which
// takes one number (`past`). The threads of any other synchronization share one vector.

#ifndef TILEWRIGHT_EMULATOR_CHECKS_VECTORCLOCKS_H
#define TILEWRIGHT_EMULATOR_CHECKS_VECTORCLOCKS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tilewright::emulator {

/// The time of a thread. Times of events are never 0.
using Time = uint64_t;

class VectorClocks {
public:
  /// `agents` more have a time, with numbers behind those of the threads. They synchronize with all threads, but need
  /// not be named.
  explicit VectorClocks(size_t threads, size_t agents = 0);

  /// The time of the thread's current events.
  Time now(uint32_t thread) const { return clocks[thread].now; }

  /// Times up to past() happen before everything later.
  Time past() const { return pastTime; }

  /// Whether an event of `other` at `time` happens before what `thread` does now.
  bool isBefore(uint32_t other, Time time, uint32_t thread) const {
    if (time <= pastTime || other == thread) {
      return true;
    }
    const Knowledge &known = clocks[thread].known;
    return known && time <= (*known)[other];
  }

  /// Gives the events of the thread from now on a later time than those so far.
  void advance(uint32_t thread) { ++clocks[thread].now; }

  /// What happened before some time of a thread.
  class Moment;
  Moment moment(uint32_t thread) const;

  /// Orders everything that all threads did so far before everything that they do from now on.
  void synchronizeAll();
  /// The same for some threads.
  void synchronize(const std::vector<uint32_t> &threads);

  /// release() orders what the thread did so far before what threads do after a later acquire() of the same address.
  void release(uint32_t thread, uint64_t address);
  void acquire(uint32_t thread, uint64_t address);
  /// Forgets the releases to an address, which no thread acquires any more.
  void forget(uint64_t address) { released.erase(address); }

private:
  /// For each thread the latest time that is ordered before; null if that is past() for all. Shared and immutable.
  using Times = std::vector<Time>;
  using Knowledge = std::shared_ptr<const Times>;

  struct Clock {
    Time now = 0;
    Knowledge known; // the thread's entry for itself may be too low
  };

  /// The releases to an address: the times in `known`, and those of `thread` up to `time`.
  struct Released {
    Knowledge known;
    uint32_t thread = 0;
    Time time = 0;
  };

  void include(Times &times, const Knowledge &known) const;

  const size_t threadCount;
  std::vector<Clock> clocks; // of the threads, then of the agents
  Time pastTime = 0;
  std::unordered_map<uint64_t, Released> released;
};

class VectorClocks::Moment {
public:
  Moment() = default;
  /// Whether an event of `other` at `time` happened before. At the default moment nothing had happened.
  bool isAfter(uint32_t other, Time time) const {
    return time <= past || (other == thread && time <= now) || (known && time <= (*known)[other]);
  }

private:
  friend class VectorClocks;
  Moment(uint32_t thread, Time now, Time past, Knowledge known)
      : thread(thread), now(now), past(past), known(std::move(known)) {}

  uint32_t thread = 0;
  Time now = 0, past = 0;
  Knowledge known;
};

inline VectorClocks::Moment VectorClocks::moment(uint32_t thread) const {
  return {thread, clocks[thread].now, pastTime, clocks[thread].known};
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_VECTORCLOCKS_H
