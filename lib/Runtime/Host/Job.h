// A launch in progress: the programs that are left, and how it ends.

#ifndef TILEWRIGHT_LIB_RUNTIME_HOST_JOB_H
#define TILEWRIGHT_LIB_RUNTIME_HOST_JOB_H

#include "InterruptClock.h"
#include "tilewright/Runtime/Host/ThreadPool.h"

#include <algorithm>
#include <atomic>

namespace tilewright::runtime {

class Job {
public:
  explicit Job(const Launch &launch) : launch(launch) {}

  int64_t remaining() const { return launch.grid.programs - next.load(std::memory_order_relaxed); }
  bool stopped() const { return outcome.load(std::memory_order_relaxed) != Result::Finished; }
  void stop(Result::Outcome why, int32_t code = 0, int64_t program = -1);
  void stopOnRequest(InterruptClock &clock, Clock::time_point now);
  Result result() const { return {static_cast<Result::Outcome>(outcome.load()), status, program}; }

  /// Whether a thread has run programs that is not the launching one.
  bool hasHelp() const { return helped.load(std::memory_order_relaxed); }
  /// The size of a thread's first chunk, before it has measured one itself.
  int64_t firstChunk() const;
  /// Runs chunks until none are left, as one of `threads` threads. The launching thread gives its clock.
  void run(InterruptClock *clock);
  /// Claims and runs at most `limit` programs, and adapts `programsPerChunk` to the time that they took. `now` is the
  /// time before the chunk, and is updated to the time after it. Returns false if no programs are left or the job was
  /// stopped.
  bool runChunk(int64_t limit, Clock::time_point &now, int64_t &programsPerChunk);

  const Launch &launch;
  /// The most threads that may run it, with the caller; constant once workers can see the job.
  unsigned threads = 1;

private:
  /// The most programs of a thread's next chunk: a fraction of the rest. Chunks become smaller toward the end, so that
  /// all threads finish at the same time.
  int64_t mostOfChunk() const { return std::max<int64_t>(1, remaining() / (int64_t(2) * threads)); }

  std::atomic<int64_t> next{0};
  std::atomic<bool> helped{false};
  std::atomic<int> outcome{Result::Finished};
  int32_t status = 0;   // written by the one thread that changes the outcome
  int64_t program = -1; // likewise
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_LIB_RUNTIME_HOST_JOB_H
