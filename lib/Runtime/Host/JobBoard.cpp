#include "JobBoard.h"

namespace tilewright::runtime {

bool JobPlace::enter() {
  uint32_t before = state.fetch_add(1, std::memory_order_acq_rel);
  if (admits(before)) {
    return true;
  }
  leave();
  return false;
}

void JobPlace::leave() {
  uint32_t before = state.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & kAwaited) && (before & kWorkers) == 1) {
    std::lock_guard lock(mutex); // the waiting thread is between its look at the state and its sleep, or asleep
    left.notify_all();
  }
}

JobPlace *JobBoard::post(Job &job) {
  for (JobPlace &place : places) {
    if (!place.taken.load(std::memory_order_relaxed) && !place.taken.exchange(true, std::memory_order_acquire)) {
      place.posted = &job;
      place.limit.store(job.threads - 1, std::memory_order_relaxed);
      place.state.fetch_or(JobPlace::kOpen, std::memory_order_release);
      return &place;
    }
  }
  return nullptr;
}

JobPlace *JobBoard::enter() {
  JobPlace *fewest = nullptr;
  uint32_t workers = 0;
  for (JobPlace &place : places) {
    uint32_t state = place.state.load(std::memory_order_relaxed);
    if (place.admits(state) && (!fewest || (state & JobPlace::kWorkers) < workers)) {
      fewest = &place;
      workers = state & JobPlace::kWorkers;
    }
  }
  return fewest && fewest->enter() ? fewest : nullptr;
}

unsigned JobBoard::workers() const {
  unsigned count = 0;
  for (const JobPlace &place : places) {
    count += place.state.load(std::memory_order_relaxed) & JobPlace::kWorkers;
  }
  return count;
}

} // namespace tilewright::runtime
