// Runs the programs of a grid on the processors of the machine.
//
// A launch is a range of programs [0, n). Threads claim chunks of it until none are left: the caller from the start,
// workers once the rest takes long enough to wake them. A chunk has as many programs as take about half a millisecond,
// so that a request to stop is handled soon even if the grid is large:
//
//   caller   |--c0--|--c2--|-c3-|--c5--|-c7-|
//   worker 1    |----c1----|--c4--|--c6--|      each thread claims a chunk when it
//   worker 2         ...                        has finished the previous one
//
// The cost of a program is measured per kernel. A launch that is predicted to take less time than sharing it runs on
// the caller only. Where the application's own threads keep the processors busy, those take the place of the workers
// (TeamChoice.h).

#ifndef TILEWRIGHT_RUNTIME_HOST_THREADPOOL_H
#define TILEWRIGHT_RUNTIME_HOST_THREADPOOL_H

#include "tilewright/Runtime/Grid.h"
#include "tilewright/Runtime/Host/Kernel.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace tilewright::runtime {

class InterruptClock;
class Job;
class JobBoard;
class JobPlace;
class TeamChoice;

/// The time of one program of a kernel in nanoseconds, measured in its launches. Any thread may read and update it; a
/// lost update is harmless.
class ProgramCost {
public:
  bool known() const { return value.load(std::memory_order_relaxed) > 0; }
  /// The predicted time of a number of programs in nanoseconds; 0 if there is no measurement yet.
  double of(int64_t programs) const { return double(value.load(std::memory_order_relaxed)) * double(programs); }
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

/// Callbacks on the launching thread during a launch.
class Interrupt {
public:
  virtual ~Interrupt() = default;
  /// Called at most once, if the remaining programs may take more than a few microseconds.
  virtual void onLongLaunch() {}
  /// Called about twenty times a second. Returns whether to stop the launch.
  virtual bool requested() = 0;
};

struct Result {
  enum Outcome { Finished, Failed, Interrupted, OutOfMemory };
  Outcome outcome = Finished;
  /// If Failed: the first non-zero code that a chunk returned.
  int32_t status = 0;
  /// If Failed: the linear number of the program whose assertion failed, or -1 if it is not known.
  int64_t program = -1;
};

/// How launches get along with other code of the process that has threads.
struct ApplicationThreads {
  /// The number of threads that a launch by the calling thread may use; none stands for all of the pool.
  std::optional<unsigned> (*count)() = nullptr;
  /// Calls the function on all of the application's threads and returns true, or returns false without a call.
  bool (*run)(void (*function)(void *), void *argument) = nullptr;
};

class ThreadPool {
public:
  /// The process's pool. It is created at the first use, and again in the child of a fork. Unless
  /// TILEWRIGHT_NUM_THREADS is set, a launch uses no more threads than OpenMP would, and may run on OpenMP's.
  static ThreadPool &instance();

  /// Creates a pool of `threads` threads, one of which is the caller of `run`. The others start when they are first
  /// needed.
  explicit ThreadPool(unsigned threads, const ApplicationThreads &application = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned size() const { return threads; }

  /// Runs all programs, and returns when no program is running. Threads claim no more chunks after the first failure.
  /// Any number of threads may call it concurrently.
  Result run(const Launch &launch, Interrupt *interrupt = nullptr);

private:
  bool isShort(const Job &job) const;
  unsigned threadsFor(const Job &job) const;
  void share(Job &job, InterruptClock &clock);
  bool runOnTeam(Job &job, InterruptClock &clock);
  void runOnWorkers(Job &job, InterruptClock &clock);
  JobPlace *post(Job &job);
  void wake(unsigned additional);
  void waitForArrival(unsigned seen);
  void startWorkers();
  void keepWorkersOffCaller();
  void work();

  const unsigned threads;
  const ApplicationThreads application;
  const std::unique_ptr<JobBoard> board;
  const std::unique_ptr<TeamChoice> choice;
  std::atomic<unsigned> arrivals{0}; // the number of jobs shared so far
  std::atomic<unsigned> started{0};  // the number of workers
  std::atomic<unsigned> sleeping{0}; // the number of workers that wait for `jobArrived`; written under the mutex
  std::atomic<bool> stopping{false};
  std::atomic<bool> teamIsBusy{false}; // whether a launch uses the threads of the application
  std::mutex mutex;
  std::condition_variable jobArrived;
  std::vector<std::thread> workers; // guarded by mutex
  unsigned toWake = 0;              // how many sleeping workers others shall wake; guarded by mutex
  int callerCpu = -1;               // the processor that the workers avoid; guarded by mutex
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_HOST_THREADPOOL_H
