// Where launches post their jobs and workers find them, without locks.
//
// A place of the board has one word of state: whether the job in it takes more workers, and how many are inside. A
// worker adds itself first and looks afterwards at what it has found: if the place was open, the job stays there until
// the worker has left.

#ifndef TILEWRIGHT_LIB_RUNTIME_HOST_JOBBOARD_H
#define TILEWRIGHT_LIB_RUNTIME_HOST_JOBBOARD_H

#include "Job.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tilewright::runtime {

class JobPlace {
public:
  Job &job() const { return *posted; }
  /// No worker enters any more. A worker inside may call it, or the thread that posted the job.
  void close() { state.fetch_and(~kOpen, std::memory_order_acq_rel); }
  /// Called by a worker when it is done. It must not use the job afterwards.
  void leave();

private:
  friend class JobBoard;
  static constexpr uint32_t kOpen = 1u << 31;
  /// The thread that posted the job sleeps until the last worker leaves.
  static constexpr uint32_t kAwaited = 1u << 30;
  static constexpr uint32_t kWorkers = kAwaited - 1;

  bool enter();
  bool admits(uint32_t state) const {
    return (state & kOpen) && (state & kWorkers) < limit.load(std::memory_order_relaxed);
  }
  bool empty() const { return (state.load(std::memory_order_acquire) & kWorkers) == 0; }

  // Places are polled and written by many threads: each has a cache line of its own.
  alignas(64) std::atomic<uint32_t> state{0};
  std::atomic<uint32_t> limit{0}; // the most workers of the job
  Job *posted = nullptr;
  std::atomic<bool> taken{false};
  std::mutex mutex;
  std::condition_variable left;
};

class JobBoard {
public:
  /// Posts a job in a free place; null if there is none.
  JobPlace *post(Job &job);

  /// Enters the open place with the fewest workers, whose job may have another one; null if there is none.
  JobPlace *enter();

  /// The number of workers inside of all places.
  unsigned workers() const;

  /// Waits until no worker is inside, for `pollTime` without sleep, and frees the place. The caller has closed it.
  /// `whileWaiting` is called about every `interval`.
  template <typename Callback>
  void withdraw(JobPlace &place, Clock::duration pollTime, Clock::duration interval, Callback whileWaiting);

private:
  std::array<JobPlace, 8> places;
};

/// Spins until `ready` is true, but at most for the given time. Returns whether it became true.
template <typename Condition> bool poll(Clock::duration atMost, Condition ready) {
  auto end = Clock::now() + atMost;
  while (!ready()) {
    if (Clock::now() >= end) {
      return false;
    }
    for (int i = 0; i < 16; ++i) {
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
    std::this_thread::yield(); // to threads that have work
  }
  return true;
}

template <typename Callback>
void JobBoard::withdraw(JobPlace &place, Clock::duration pollTime, Clock::duration interval, Callback whileWaiting) {
  if (!poll(pollTime, [&] { return place.empty(); })) {
    std::unique_lock lock(place.mutex);
    place.state.fetch_or(JobPlace::kAwaited, std::memory_order_acq_rel);
    while (!place.left.wait_for(lock, interval, [&] { return place.empty(); })) {
      lock.unlock();
      whileWaiting();
      lock.lock();
    }
    place.state.fetch_and(~JobPlace::kAwaited, std::memory_order_acq_rel);
  }
  place.taken.store(false, std::memory_order_release);
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_LIB_RUNTIME_HOST_JOBBOARD_H
