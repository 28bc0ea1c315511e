// What happens before what among the threads of a block: vector clocks.
//
// A thread counts how often others came to know of what it did (`now`), and knows up to which count it knows of each of
// the others. What another thread did at one of its times is before what this thread does if this one's knowledge of
// that thread reaches as far.
//
//     thread 0   write (0: 1)   barrier
//     thread 1                  barrier   read: knows of 0 up to 1, so the write is before it
//
// Nearly all synchronisation is a barrier of the whole block. It orders everything so far before everything to come,
// for which one number is enough (`past`). Other synchronisation gives those who take part one vector that they share.

#ifndef TILEWRIGHT_EMULATOR_CHECKS_VECTORCLOCKS_H
#define TILEWRIGHT_EMULATOR_CHECKS_VECTORCLOCKS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tilewright::emulator {

/// One thread's count. Never 0.
using Time = uint64_t;

class VectorClocks {
public:
  explicit VectorClocks(size_t threads);

  /// What a thread does now it does at this time.
  Time now(uint32_t thread) const { return clocks[thread].now; }

  /// What anybody did at this time or earlier is before all that is still to come.
  Time past() const { return allKnow; }

  /// Whether what `other` did at a time is before what `thread` does now.
  bool isBefore(uint32_t other, Time time, uint32_t thread) const {
    if (time <= allKnow || other == thread) {
      return true;
    }
    const Knowledge &known = clocks[thread].known;
    return known && time <= (*known)[other];
  }

  /// All that anybody did is before all that anybody does from now on.
  void synchronizeAll();
  /// The same among some threads.
  void synchronize(const std::vector<uint32_t> &threads);

  /// What the thread did is before what those do from now on that acquire the address later.
  void release(uint32_t thread, uint64_t address);
  void acquire(uint32_t thread, uint64_t address);

private:
  /// Up to which time something is known of each thread; null: nothing beyond what all know. Shared, never changed.
  using Times = std::vector<Time>;
  using Knowledge = std::shared_ptr<const Times>;

  struct Clock {
    Time now = 0;
    Knowledge known; // of the other threads; the own entry may be too low
  };

  /// What was released to an address: `known`, and what `thread` did up to `time`.
  struct Released {
    Knowledge known;
    uint32_t thread = 0;
    Time time = 0;
  };

  void include(Times &times, const Knowledge &known) const;

  std::vector<Clock> clocks;
  Time allKnow = 0;
  std::unordered_map<uint64_t, Released> released;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_CHECKS_VECTORCLOCKS_H
