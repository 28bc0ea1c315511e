#include "tilewright/Runtime/Host/ThreadPool.h"

#include "InterruptClock.h"
#include "JobBoard.h"
#include "tilewright/Runtime/Host/CpuCount.h"
#include "tilewright/Runtime/Host/OpenMpThreads.h"
#include "tilewright/Runtime/Host/TeamChoice.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <unistd.h>

namespace tilewright::runtime {

namespace {

/// Sharing a launch costs about this long: with workers that poll for it or have to be woken, and with threads of the
/// application, of which it is not known whether they spin.
constexpr double pollingNanoseconds = 3e3, wakingNanoseconds = 15e3, teamNanoseconds = 8e3;
/// A launch has as many threads as have this much to do.
constexpr double shareOfThread = 2e3;
/// A thread without work polls for more this long before it sleeps, because launches often follow each other closely.
constexpr auto pollInterval = std::chrono::microseconds(200);
/// While only the caller runs programs, it checks at this interval whether the prediction was right.
constexpr double aloneNanoseconds = 2e3;

} // namespace

//===----------------------------------------------------------------------===//
// The launching thread
//===----------------------------------------------------------------------===//

ThreadPool::ThreadPool(unsigned threads, const ApplicationThreads &application)
    : threads(std::max(1u, threads)), application(application), board(std::make_unique<JobBoard>()),
      choice(std::make_unique<TeamChoice>()) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
    arrivals.fetch_add(1);
  }
  jobArrived.notify_all();
  for (std::thread &worker : workers) {
    worker.join();
  }
}

/// Whether the caller runs the rest of a job sooner than several threads would begin with it.
bool ThreadPool::isShort(const Job &job) const {
  if (job.remaining() <= 1 || !job.launch.cost.known()) {
    return job.remaining() <= 1;
  }
  bool awake = started.load(std::memory_order_relaxed) > sleeping.load(std::memory_order_relaxed);
  double sharing = application.run && choice->usesTeam() ? teamNanoseconds
                   : awake                               ? pollingNanoseconds
                                                         : wakingNanoseconds;
  return job.launch.cost.of(job.remaining()) <= sharing;
}

/// How many threads shall run the rest of a job, with the caller.
unsigned ThreadPool::threadsFor(const Job &job) const {
  auto most = std::min<int64_t>(application.count ? application.count().value_or(threads) : threads, threads);
  if (job.launch.cost.known()) {
    most =
        std::min(most, std::max<int64_t>(2, static_cast<int64_t>(job.launch.cost.of(job.remaining()) / shareOfThread)));
  }
  return static_cast<unsigned>(std::min(most, job.remaining()));
}

namespace {

/// A job that the threads of the application run.
struct Team {
  void enter();

  Job &job;
  InterruptClock &clock;
  std::thread::id caller = std::this_thread::get_id();
  Clock::time_point callerReturned;
  std::atomic<unsigned> others{0};
};

void Team::enter() {
  if (std::this_thread::get_id() == caller) {
    job.run(&clock);
    callerReturned = Clock::now();
  } else if (others.fetch_add(1, std::memory_order_relaxed) + 1 < job.threads) {
    job.run(nullptr);
  }
}

} // namespace

/// Runs the job on the threads of the application. One launch at a time: each launching thread has threads of its own
/// there.
bool ThreadPool::runOnTeam(Job &job, InterruptClock &clock) {
  if (!application.run || !choice->usesTeam() || teamIsBusy.exchange(true)) {
    return false;
  }
  auto begin = Clock::now();
  Team team{job, clock};
  bool ran = application.run([](void *argument) { static_cast<Team *>(argument)->enter(); }, &team);
  teamIsBusy = false;
  if (ran) {
    choice->learnTeam(team.callerReturned - begin, Clock::now() - team.callerReturned);
  }
  return ran;
}

/// Runs the job on the caller and on workers, as many as are free.
void ThreadPool::runOnWorkers(Job &job, InterruptClock &clock) {
  auto begin = Clock::now();
  JobPlace *place = post(job);
  job.run(&clock);
  if (place) {
    place->close();
    choice->learnWorkers(Clock::now() - begin, job.hasHelp());
    board->withdraw(*place, pollInterval, kInterruptInterval, [&] { job.stopOnRequest(clock, Clock::now()); });
  }
}

Result ThreadPool::run(const Launch &launch, Interrupt *interrupt) {
  Job job(launch);
  auto now = Clock::now();
  InterruptClock clock(interrupt, now);
  int64_t programsPerChunk = job.firstChunk();
  while (true) {
    clock.predict(launch.cost.of(job.remaining()));
    if (!isShort(job)) {
      share(job, clock);
      break;
    }
    auto chunk = std::max<int64_t>(1, static_cast<int64_t>(aloneNanoseconds / std::max(0.1, launch.cost.of(1))));
    if (!job.runChunk(chunk, now, programsPerChunk)) {
      break;
    }
    job.stopOnRequest(clock, now);
  }
  return job.result();
}

/// Runs the rest of a job on all threads that it may have.
void ThreadPool::share(Job &job, InterruptClock &clock) {
  job.threads = threadsFor(job);
  if (job.threads == 1) {
    job.run(&clock);
  } else if (!runOnTeam(job, clock)) {
    runOnWorkers(job, clock);
  }
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

/// Posts a job, and wakes as many workers as it lacks. Returns null if no more launches can have workers.
JobPlace *ThreadPool::post(Job &job) {
  {
    std::lock_guard lock(mutex);
    startWorkers();
    keepWorkersOffCaller();
  }
  unsigned busy = board->workers();
  JobPlace *place = board->post(job);
  if (place) {
    arrivals.fetch_add(1);
    unsigned asleep = sleeping.load();
    int awake = static_cast<int>(started.load() - asleep - busy);
    if (int lacking = static_cast<int>(job.threads - 1) - std::max(0, awake); lacking > 0 && asleep > 0) {
      wake(lacking);
    }
  }
  return place;
}

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
      started.fetch_add(1, std::memory_order_relaxed);
    }
  } catch (const std::system_error &) { // NOLINT(bugprone-empty-catch): there is nothing to do
    // The system allows no more threads. Continue with those that exist.
  }
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

/// Wakes two threads, each of which wakes two more, and so on: to wake one takes some microseconds.
void ThreadPool::wake(unsigned additional) {
  unsigned now;
  {
    std::lock_guard lock(mutex);
    toWake = std::min(toWake + additional, sleeping.load());
    now = std::min(toWake, 2u);
    toWake -= now;
  }
  for (; now > 0; --now) {
    jobArrived.notify_one();
  }
}

/// Waits for a job that was not there when the number of arrivals was `seen`.
void ThreadPool::waitForArrival(unsigned seen) {
  auto arrived = [&] { return arrivals.load() != seen; };
  if (poll(pollInterval, arrived)) {
    return;
  }
  {
    std::unique_lock lock(mutex);
    sleeping.fetch_add(1);
    jobArrived.wait(lock, arrived);
    sleeping.fetch_sub(1);
  }
  wake(0);
}

void ThreadPool::work() {
  while (true) {
    unsigned seen = arrivals.load();
    if (stopping) {
      return;
    }
    JobPlace *place = board->enter();
    if (!place) {
      waitForArrival(seen);
      continue;
    }
    place->job().run(nullptr);
    place->close();
    place->leave();
  }
}

//===----------------------------------------------------------------------===//
// The process's pool
//===----------------------------------------------------------------------===//

namespace {

std::mutex instanceMutex;
ThreadPool *instancePointer = nullptr; // guarded by instanceMutex

/// What the loaded OpenMP says, which knows OMP_NUM_THREADS, or else that.
std::optional<unsigned> countOfApplication() {
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

const pid_t loadedBy = getpid();

/// With TILEWRIGHT_NUM_THREADS, a launch follows nothing else. In the child of a fork, libgomp would wait for ever for
/// threads that only the parent has.
ApplicationThreads applicationThreads() {
  if (requestedThreads()) {
    return {};
  }
  return {countOfApplication, getpid() == loadedBy ? runOnOpenMpThreads : nullptr};
}

} // namespace

ThreadPool &ThreadPool::instance() {
  std::lock_guard lock(instanceMutex);
  if (!instancePointer) {
    static std::once_flag once;
    std::call_once(once, watchForks);
    // Never destroyed: workers may still sleep in it when the process exits.
    instancePointer = new ThreadPool(threadsToUse(), applicationThreads());
  }
  return *instancePointer;
}

} // namespace tilewright::runtime
