// Runs the programs of a grid on the processors of the machine.
//
// A launch is a range of programs [0, n). Threads claim chunks of it until none
// are left: the caller from the start, workers once the rest is worth waking
// them. A chunk is as many programs as take about half a millisecond, so that a
// request to stop is heard soon however long the grid:
//
//   caller   |--c0--|--c2--|-c3-|--c5--|-c7-|
//   worker 1    |----c1----|--c4--|--c6--|      each asks for a chunk when it
//   worker 2         ...                        has done its last one
//
// What a program costs is remembered per kernel. A launch that is predicted to
// take less than waking a worker takes runs on the caller alone.

#ifndef TILEWRIGHT_RUNTIME_THREADPOOL_H
#define TILEWRIGHT_RUNTIME_THREADPOOL_H

#include "tilewright/Runtime/Grid.h"
#include "tilewright/Runtime/Kernel.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewright::runtime {

/// Nanoseconds that one program of a kernel takes, learnt from its launches. Any thread may read
/// and update it; a lost update is harmless.
class ProgramCost {
public:
  bool known() const { return value.load(std::memory_order_relaxed) > 0; }
  /// The predicted nanoseconds of so many programs; 0 where nothing is known.
  double of(int64_t programs) const { return value.load(std::memory_order_relaxed) * programs; }
  void learn(int64_t nanoseconds, int64_t programs);

private:
  std::atomic<float> value{0};
};

struct Launch {
  KernelEntry kernel;
  const uint64_t *slots;
  Grid grid;
  ProgramCost &cost;
};

/// How the launching thread keeps in touch with those who wait for it.
class Interrupt {
public:
  virtual ~Interrupt() = default;
  /// Called once, before programs run that may take more than a few microseconds.
  virtual void onLongLaunch() {}
  /// Called about twenty times a second: whether to give up.
  virtual bool requested() = 0;
};

struct Result {
  enum Outcome { Finished, Failed, Interrupted, OutOfMemory };
  Outcome outcome = Finished;
  /// Of Failed: the first non-zero code that a chunk returned.
  int32_t status = 0;
};

class ThreadPool {
public:
  /// The process's pool, made at first use, and anew in the child of a fork.
  static ThreadPool &instance();

  /// A pool of so many threads, the caller of `run` being one of them; the others start when
  /// they are first needed.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned size() const { return threads; }

  /// Runs all programs and returns when none is running any more. Stops claiming chunks after
  /// the first failure. Any number of threads may call it at once.
  Result run(const Launch &launch, Interrupt *interrupt = nullptr);

private:
  struct Job;

  bool worthSharing(const Job &job) const;
  void share(Job &job);
  void retire(Job &job, Interrupt *interrupt);
  void remove(Job &job);
  void startWorkers();
  void keepWorkersOffCaller();
  void work();

  const unsigned threads;
  std::mutex mutex;
  std::condition_variable jobArrived;
  std::atomic<unsigned> arrivals{0}; // jobs ever shared, changed under the mutex
  std::vector<Job *> jobs;           // guarded by mutex
  std::vector<std::thread> workers;  // guarded by mutex
  bool stopping = false;             // guarded by mutex
  int callerCpu = -1;                // that the workers avoid; guarded by mutex
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_THREADPOOL_H
