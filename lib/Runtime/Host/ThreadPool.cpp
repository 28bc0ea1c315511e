#include "tilewright/Runtime/Host/ThreadPool.h"

#include "tilewright/Runtime/Host/CpuCount.h"
#include "tilewright/Runtime/Host/KernelSupport.h"
#include "tilewright/Runtime/Host/OpenMpThreads.h"
#include "tilewright/Runtime/Host/Scratch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <sched.h>
#include <system_error>

namespace tilewright::runtime {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double chunkNanoseconds = 500e3;
/// Waking a sleeping worker and waiting for it takes about this long.
constexpr double sharingNanoseconds = 15e3;
/// A thread without work polls for more this long before it sleeps, because launches often follow each other closely.
constexpr auto pollInterval = std::chrono::microseconds(50);
/// While only the caller runs programs, it checks at this interval whether the prediction was right.
constexpr double aloneNanoseconds = 2e3;
/// A launch that takes longer than this is long (Interrupt::onLongLaunch).
constexpr double longNanoseconds = 5e3;
constexpr auto interruptInterval = std::chrono::milliseconds(50);

/// Spins until `ready` is true, but at most for the poll interval.
template <typename Condition> void poll(Condition ready) {
  auto end = Clock::now() + pollInterval;
  while (!ready() && Clock::now() < end) {
    for (int i = 0; i < 16; ++i) {
#ifdef __x86_64__
      __builtin_ia32_pause();
#else
      std::this_thread::yield();
#endif
    }
  }
}

/// Calls onLongLaunch() at most once, and requested() at most once per interval.
class InterruptClock {
public:
  InterruptClock(Interrupt *interrupt, Clock::time_point now) : interrupt(interrupt), last(now) {}
  void predict(double nanoseconds) {
    if (interrupt && !isLong && (nanoseconds == 0 || nanoseconds > longNanoseconds)) {
      isLong = true;
      interrupt->onLongLaunch();
    }
  }
  bool requested(Clock::time_point now) {
    if (!interrupt || now - last < interruptInterval) {
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

} // namespace

void ProgramCost::learn(int64_t nanoseconds, int64_t programs) {
  float measured = std::max(0.1f, static_cast<float>(nanoseconds) / static_cast<float>(programs));
  float old = value.load(std::memory_order_relaxed);
  value.store(old > 0 ? old + (measured - old) / 4 : measured, std::memory_order_relaxed);
}

//===----------------------------------------------------------------------===//
// A launch in progress
//===----------------------------------------------------------------------===//

struct ThreadPool::Job {
  Job(const Launch &launch, unsigned threads) : launch(launch), threads(threads) {}

  int64_t remaining() const { return launch.grid.programs - next.load(std::memory_order_relaxed); }
  bool stopped() const { return outcome.load(std::memory_order_relaxed) != Result::Finished; }
  void stop(Result::Outcome why, int32_t code = 0, int64_t program = -1);
  bool runChunk(int64_t limit, Clock::time_point &now, int64_t &programsPerChunk);
  int64_t firstChunk() const;

  const Launch &launch;
  unsigned threads; // the most that may run it, with the caller; constant once it is shared
  std::atomic<int64_t> next{0};
  std::atomic<int> outcome{Result::Finished};
  int32_t status = 0;   // written by the one thread that changes the outcome
  int64_t program = -1; // likewise

  std::atomic<unsigned> active{0}; // the number of workers on this job; written under the pool's mutex
  std::condition_variable idle;
};

void ThreadPool::Job::stop(Result::Outcome why, int32_t code, int64_t failed) {
  int expected = Result::Finished;
  if (outcome.compare_exchange_strong(expected, why)) {
    status = code;
    program = failed;
  }
}

/// The size of a thread's first chunk, before it has measured one itself.
int64_t ThreadPool::Job::firstChunk() const {
  return launch.cost.known() ? std::max<int64_t>(1, static_cast<int64_t>(chunkNanoseconds / launch.cost.of(1))) : 1;
}

/// Claims and runs at most `limit` programs, and adapts `programsPerChunk` to the time that they took. `now` is the
/// time before the chunk, and is updated to the time after it. Returns false if no programs are left or the job was
/// stopped.
bool ThreadPool::Job::runChunk(int64_t limit, Clock::time_point &now, int64_t &programsPerChunk) {
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
  double fitting = chunkNanoseconds / std::max(1.0, static_cast<double>(elapsed)) * static_cast<double>(count);
  double most = 8.0 * static_cast<double>(programsPerChunk);
  programsPerChunk = std::max<int64_t>(1, static_cast<int64_t>(std::min(fitting, most)));
  return true;
}

//===----------------------------------------------------------------------===//
// The launching thread
//===----------------------------------------------------------------------===//

ThreadPool::ThreadPool(unsigned threads, Limit limit) : threads(std::max(1u, threads)), limit(limit) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  jobArrived.notify_all();
  for (std::thread &worker : workers) {
    worker.join();
  }
}

unsigned ThreadPool::threadsForCaller() const { return limit ? std::min(threads, limit().value_or(threads)) : threads; }

bool ThreadPool::worthSharing(const Job &job) const {
  int64_t remaining = job.remaining();
  return job.threads > 1 && remaining > 1 &&
         (!job.launch.cost.known() || job.launch.cost.of(remaining) > sharingNanoseconds);
}

Result ThreadPool::run(const Launch &launch, Interrupt *interrupt) {
  Job job(launch, threads);
  auto now = Clock::now();
  InterruptClock clock(interrupt, now);
  int64_t programsPerChunk = job.firstChunk();
  bool shared = false;
  while (job.remaining() > 0) {
    if (!shared) {
      clock.predict(launch.cost.of(job.remaining()));
    }
    if (!shared && worthSharing(job)) {
      job.threads = threadsForCaller();
      shared = job.threads > 1;
      if (shared) {
        share(job);
      }
      now = Clock::now();
    }
    // A fraction of the rest: chunks become smaller toward the end, so that all threads finish at the same time.
    int64_t most = shared ? job.remaining() / (int64_t(4) * job.threads)
                          : static_cast<int64_t>(aloneNanoseconds / std::max(0.1, launch.cost.of(1)));
    if (!job.runChunk(job.threads == 1 ? programsPerChunk : std::max<int64_t>(1, most), now, programsPerChunk)) {
      break;
    }
    if (clock.requested(now)) {
      job.stop(Result::Interrupted);
    }
  }
  if (shared) {
    retire(job, interrupt);
  }
  return {static_cast<Result::Outcome>(job.outcome.load()), job.status, job.program};
}

/// A woken thread often starts on the processor of the thread that woke it. If all other processors are busy, it shares
/// that processor until the system balances the load some milliseconds later. On small machines this is most of a
/// launch.
void ThreadPool::keepWorkersOffCaller() {
#ifdef __linux__
  constexpr unsigned manyThreads = 8;
  int cpu = sched_getcpu();
  if (threads > manyThreads || cpu < 0 || cpu == callerCpu) {
    return;
  }
  callerCpu = cpu;
  cpu_set_t others;
  if (sched_getaffinity(0, sizeof others, &others) != 0) {
    return;
  }
  CPU_CLR(cpu, &others);
  for (std::thread &worker : workers) {
    if (CPU_COUNT(&others) > 0) {
      pthread_setaffinity_np(worker.native_handle(), sizeof others, &others);
    }
  }
#endif
}

void ThreadPool::share(Job &job) {
  unsigned wanted = static_cast<unsigned>(std::min<int64_t>(job.remaining() - 1, job.threads - 1));
  {
    std::lock_guard lock(mutex);
    startWorkers();
    keepWorkersOffCaller();
    jobs.push_back(&job);
    arrivals.fetch_add(1, std::memory_order_release);
  }
  for (unsigned i = 0; i < wanted; ++i) {
    jobArrived.notify_one();
  }
}

/// Removes the job from the list, and waits until no worker runs it.
void ThreadPool::retire(Job &job, Interrupt *interrupt) {
  {
    std::lock_guard lock(mutex);
    remove(job); // no worker can start on the job from here on
  }
  poll([&] { return job.active.load(std::memory_order_acquire) == 0; });
  std::unique_lock lock(mutex);
  while (!job.idle.wait_for(lock, interruptInterval, [&] { return job.active.load() == 0; })) {
    if (interrupt && !job.stopped()) {
      lock.unlock();
      if (interrupt->requested()) {
        job.stop(Result::Interrupted);
      }
      lock.lock();
    }
  }
}

void ThreadPool::remove(Job &job) { jobs.erase(std::remove(jobs.begin(), jobs.end(), &job), jobs.end()); }

//===----------------------------------------------------------------------===//
// The workers
//===----------------------------------------------------------------------===//

/// Workers must not handle signals to the process: those are for the threads of the application.
static void blockSignals(sigset_t &previous) {
  sigset_t blocked;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF}) {
    sigdelset(&blocked, fault);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &previous);
}

void ThreadPool::startWorkers() {
  if (!workers.empty()) {
    return;
  }
  sigset_t previous;
  blockSignals(previous);
  try {
    while (workers.size() + 1 < threads) {
      workers.emplace_back([this] { work(); });
    }
  } catch (const std::system_error &) { // NOLINT(bugprone-empty-catch): there is nothing to do
    // The system allows no more threads. Continue with those that exist.
  }
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

/// Of the jobs that may have another worker, that with the fewest; null if there is none.
ThreadPool::Job *ThreadPool::findJob() const {
  Job *found = nullptr;
  for (Job *job : jobs) {
    unsigned active = job->active.load();
    if (active + 1 < job->threads && (!found || active < found->active.load())) {
      found = job;
    }
  }
  return found;
}

void ThreadPool::work() {
  std::unique_lock lock(mutex);
  while (true) {
    jobArrived.wait(lock, [this] { return stopping || findJob(); });
    if (stopping) {
      return;
    }
    Job &job = *findJob();
    ++job.active;
    lock.unlock();

    auto now = Clock::now();
    int64_t programsPerChunk = job.firstChunk();
    while (job.runChunk(std::max<int64_t>(1, job.remaining() / (int64_t(4) * job.threads)), now, programsPerChunk)) {
    }

    lock.lock();
    remove(job);
    if (--job.active == 0) {
      job.idle.notify_all(); // the last access: the job may be destroyed once the mutex is unlocked
    }
    unsigned seen = arrivals.load(std::memory_order_relaxed);
    if (!findJob() && !stopping) {
      lock.unlock();
      poll([&] { return arrivals.load(std::memory_order_acquire) != seen; });
      lock.lock();
    }
  }
}

//===----------------------------------------------------------------------===//
// The process's pool
//===----------------------------------------------------------------------===//

namespace {

std::mutex instanceMutex;
ThreadPool *instancePointer = nullptr; // guarded by instanceMutex

/// What the loaded OpenMP says, which knows OMP_NUM_THREADS, or else that.
std::optional<unsigned> threadsOfApplication() {
  std::optional<unsigned> threads = openMpThreads();
  return threads ? threads : firstNumber(std::getenv("OMP_NUM_THREADS"));
}

/// The child of a fork has only the forking thread. It abandons the parent's pool, whose workers may have held locks,
/// and its next launch creates a new one.
void watchForks() {
  pthread_atfork([] { instanceMutex.lock(); }, [] { instanceMutex.unlock(); },
                 [] {
                   instancePointer = nullptr;
                   instanceMutex.unlock();
                 });
}

} // namespace

ThreadPool &ThreadPool::instance() {
  std::lock_guard lock(instanceMutex);
  if (!instancePointer) {
    static std::once_flag once;
    std::call_once(once, watchForks);
    // Never destroyed: workers may still sleep in it when the process exits.
    instancePointer = new ThreadPool(threadsToUse(), requestedThreads() ? nullptr : threadsOfApplication);
  }
  return *instancePointer;
}

} // namespace tilewright::runtime
