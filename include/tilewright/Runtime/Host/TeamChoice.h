// Whether launches use the pool's workers or the team of threads that the application's OpenMP has.
//
// After an operator of PyTorch, OpenMP's threads spin on all processors for some milliseconds, and workers do not get
// any: a launch is run by its caller alone. On OpenMP's own threads the launch starts at once then. But a parallel
// region waits until each of its threads has run, also when no programs are left, and on a machine with other busy
// processes that can take ten milliseconds, where workers that come late are not waited for.
//
// So launches begin with the workers and change to the team when the workers were starved. If the team was slow, they
// go back for a number of launches that doubles each time.

#ifndef TILEWRIGHT_RUNTIME_HOST_TEAMCHOICE_H
#define TILEWRIGHT_RUNTIME_HOST_TEAMCHOICE_H

#include <algorithm>
#include <atomic>
#include <chrono>

namespace tilewright::runtime {

/// Any thread may ask and tell; a lost update is harmless.
class TeamChoice {
public:
  using Duration = std::chrono::steady_clock::duration;

  bool usesTeam() const { return team.load(std::memory_order_relaxed); }

  /// After a launch with workers: how long it took, and whether any worker took part.
  void learnWorkers(Duration took, bool anyCame) {
    if (unsigned left = pause.load(std::memory_order_relaxed); left > 0) {
      pause.store(left - 1, std::memory_order_relaxed);
    } else if (!anyCame && took > kStarved) {
      team.store(true, std::memory_order_relaxed);
    }
  }

  /// After a launch with the team: how long the caller ran programs, and how long it waited for the others.
  void learnTeam(Duration ran, Duration waited) {
    if (waited > kSlow && waited > ran / 4) {
      team.store(false, std::memory_order_relaxed);
      pause.store(nextPause.load(std::memory_order_relaxed), std::memory_order_relaxed);
      nextPause.store(std::min(2 * pause.load(std::memory_order_relaxed), kLongestPause), std::memory_order_relaxed);
    }
  }

private:
  /// A worker that sleeps comes within this time if it gets a processor.
  static constexpr Duration kStarved = std::chrono::microseconds(60);
  static constexpr Duration kSlow = std::chrono::milliseconds(1);
  static constexpr unsigned kFirstPause = 16, kLongestPause = 1 << 14;

  std::atomic<bool> team{false};
  std::atomic<unsigned> pause{0}; // the launches until the team may be chosen again
  std::atomic<unsigned> nextPause{kFirstPause};
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_HOST_TEAMCHOICE_H
