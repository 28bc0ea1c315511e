// When a launch calls back its launching thread.

#ifndef TILEWRIGHT_LIB_RUNTIME_HOST_INTERRUPTCLOCK_H
#define TILEWRIGHT_LIB_RUNTIME_HOST_INTERRUPTCLOCK_H

#include "tilewright/Runtime/Host/ThreadPool.h"

#include <chrono>

namespace tilewright::runtime {

using Clock = std::chrono::steady_clock;

/// A launch that takes longer than this is long (Interrupt::onLongLaunch).
inline constexpr double kLongNanoseconds = 5e3;
inline constexpr auto kInterruptInterval = std::chrono::milliseconds(50);

/// Calls onLongLaunch() at most once, and requested() at most once per interval.
class InterruptClock {
public:
  InterruptClock(Interrupt *interrupt, Clock::time_point now) : interrupt(interrupt), last(now) {}
  void predict(double nanoseconds) {
    if (interrupt && !isLong && (nanoseconds == 0 || nanoseconds > kLongNanoseconds)) {
      isLong = true;
      interrupt->onLongLaunch();
    }
  }
  bool requested(Clock::time_point now) {
    if (!interrupt || now - last < kInterruptInterval) {
      return false;
    }
    bool answer = interrupt->requested();
    last = Clock::now();
    return answer;
  }

private:
  Interrupt *interrupt;
  Clock::time_point last;
  bool isLong = false;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_LIB_RUNTIME_HOST_INTERRUPTCLOCK_H
