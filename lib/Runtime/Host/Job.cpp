#include "Job.h"

#include "tilewright/Runtime/Host/KernelSupport.h"
#include "tilewright/Runtime/Host/Scratch.h"

#include <algorithm>
#include <cmath>

namespace tilewright::runtime {

static constexpr double kChunkNanoseconds = 500e3;

void ProgramCost::learn(int64_t nanoseconds, int64_t programs) {
  float measured = std::max(0.1f, static_cast<float>(nanoseconds) / static_cast<float>(programs));
  float old = value.load(std::memory_order_relaxed);
  if (old > 0 && std::abs(measured - old) < old / 8) {
    return; // all threads read it: a store would take it from their caches
  }
  value.store(old > 0 ? old + (measured - old) / 4 : measured, std::memory_order_relaxed);
}

void Job::stop(Result::Outcome why, int32_t code, int64_t failed) {
  int expected = Result::Finished;
  if (outcome.compare_exchange_strong(expected, why)) {
    status = code;
    program = failed;
  }
}

int64_t Job::firstChunk() const {
  return launch.cost.known() ? std::max<int64_t>(1, static_cast<int64_t>(kChunkNanoseconds / launch.cost.of(1))) : 1;
}

void Job::stopOnRequest(InterruptClock &clock, Clock::time_point now) {
  if (!stopped() && clock.requested(now)) {
    stop(Result::Interrupted);
  }
}

void Job::run(InterruptClock *clock) {
  auto now = Clock::now();
  int64_t programsPerChunk = firstChunk();
  while (runChunk(mostOfChunk(), now, programsPerChunk)) {
    if (clock) {
      stopOnRequest(*clock, now);
    } else if (!hasHelp()) {
      helped.store(true, std::memory_order_relaxed);
    }
  }
}

bool Job::runChunk(int64_t limit, Clock::time_point &now, int64_t &programsPerChunk) {
  int64_t begin = next.load(std::memory_order_relaxed), count;
  do {
    count = std::min({launch.grid.programs - begin, programsPerChunk, limit});
    if (count <= 0 || stopped()) {
      return false;
    }
  } while (!next.compare_exchange_weak(begin, begin + count, std::memory_order_relaxed));

  void *scratch = threadScratch(launch.kernel.scratchBytes);
  if (!scratch) {
    stop(Result::OutOfMemory);
    return false;
  }
  int32_t code = launch.kernel.function(launch.slots, launch.grid.axes.data(), begin, begin + count, scratch);
  if (code != 0) {
    stop(Result::Failed, code, takeFailedProgram());
  }
  auto after = Clock::now();
  int64_t elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(after - now).count();
  now = after;
  launch.cost.learn(elapsed, count);
  double fitting = kChunkNanoseconds / std::max(1.0, static_cast<double>(elapsed)) * static_cast<double>(count);
  double most = 8.0 * static_cast<double>(programsPerChunk);
  programsPerChunk = std::max<int64_t>(1, static_cast<int64_t>(std::min(fitting, most)));
  return true;
}

} // namespace tilewright::runtime
