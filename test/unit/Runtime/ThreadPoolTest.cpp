#include "tilewright/Runtime/Host/ThreadPool.h"

#include "gtest/gtest.h"

#include <atomic>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright::runtime;

namespace {

/// Counts the executions of each program of the launch; slots[0] points to the counters.
int32_t countPrograms(const uint64_t *slots, const int32_t *, int64_t begin, int64_t end, void *) {
  auto *counters = reinterpret_cast<int32_t *>(slots[0]);
  for (int64_t i = begin; i < end; ++i) {
    ++counters[i];
  }
  return 0;
}

/// Each program takes slots[0] microseconds.
int32_t sleepKernel(const uint64_t *slots, const int32_t *, int64_t begin, int64_t end, void *) {
  usleep(slots[0] * (end - begin));
  return 0;
}

/// The number of running programs, and whether two ever ran at the same time.
struct Meeting {
  std::atomic<int> inside{0};
  std::atomic<bool> happened{false};
};

/// Each program takes 200 ms, unless another one runs at the same time.
int32_t waitForAnother(const uint64_t *slots, const int32_t *, int64_t begin, int64_t end, void *) {
  auto &meeting = *reinterpret_cast<Meeting *>(slots[0]);
  if (++meeting.inside > 1) {
    meeting.happened = true;
  }
  for (int64_t waited = 0; waited < 200 * (end - begin) && !meeting.happened; ++waited) {
    usleep(1000);
  }
  --meeting.inside;
  return 0;
}

int32_t failFrom100(const uint64_t *slots, const int32_t *, int64_t begin, int64_t end, void *) {
  reinterpret_cast<std::atomic<int64_t> *>(slots[0])->fetch_add(end - begin);
  return end > 100 ? 42 : 0;
}

Grid grid(int64_t programs) { return Grid::make({programs, 1, 1}).value(); }

struct After : Interrupt {
  explicit After(int calls) : calls(calls) {}
  bool requested() override { return --calls <= 0; }
  int calls;
};

Result countOn(ThreadPool &pool, std::vector<int32_t> &counters, ProgramCost &cost) {
  uint64_t slots[] = {reinterpret_cast<uint64_t>(counters.data())};
  return pool.run({{countPrograms, 0}, slots, grid(counters.size()), cost});
}

} // namespace

TEST(ThreadPool, EveryProgramRunsOnce) {
  for (unsigned threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    ProgramCost cost;
    for (int64_t programs : {0, 1, 2, 3, 17, 1000, 300000}) {
      std::vector<int32_t> counters(programs);
      EXPECT_EQ(countOn(pool, counters, cost).outcome, Result::Finished);
      EXPECT_EQ(counters, std::vector<int32_t>(programs, 1)) << programs;
    }
  }
}

TEST(ThreadPool, ManyLaunchersAtOnce) {
  ThreadPool pool(4);
  ProgramCost cost;
  std::atomic<int> wrong{0};
  std::vector<std::thread> launchers;
  for (int i = 0; i < 8; ++i) {
    launchers.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        std::vector<int32_t> counters(1000 * i + round, 0);
        countOn(pool, counters, cost);
        wrong += counters != std::vector<int32_t>(counters.size(), 1);
      }
    });
  }
  for (std::thread &launcher : launchers) {
    launcher.join();
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, ExpensiveProgramsRunSideBySide) {
  ThreadPool pool(4);
  ProgramCost cost;
  Meeting meeting;
  uint64_t slots[] = {reinterpret_cast<uint64_t>(&meeting)};
  pool.run({{waitForAnother, 0}, slots, grid(50), cost});
  EXPECT_TRUE(meeting.happened);
}

TEST(ThreadPool, CheapLaunchesStayOnTheCaller) {
  ThreadPool pool(4);
  ProgramCost cost;
  cost.learn(100, 1);
  auto recordThread = [](const uint64_t *slots, const int32_t *, int64_t, int64_t, void *) -> int32_t {
    reinterpret_cast<std::set<std::thread::id> *>(slots[0])->insert(std::this_thread::get_id());
    return 0;
  };
  std::set<std::thread::id> seen; // not guarded: one thread only
  uint64_t slots[] = {reinterpret_cast<uint64_t>(&seen)};
  pool.run({{recordThread, 0}, slots, grid(4), cost});
  EXPECT_EQ(seen, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(ThreadPool, AFailureStopsTheRestAndIsReturned) {
  ThreadPool pool(3);
  ProgramCost cost;
  std::atomic<int64_t> executed{0};
  uint64_t slots[] = {reinterpret_cast<uint64_t>(&executed)};
  Result result = pool.run({{failFrom100, 0}, slots, grid(1 << 30), cost});
  EXPECT_EQ(result.outcome, Result::Failed);
  EXPECT_EQ(result.status, 42);
  EXPECT_LT(executed, 1 << 29);
}

// The grid would take a day.
TEST(ThreadPool, AnInterruptEndsALaunch) {
  for (unsigned threads : {1, 3}) {
    ThreadPool pool(threads);
    ProgramCost cost;
    uint64_t slots[] = {100};
    After second(2);
    Result result = pool.run({{sleepKernel, 0}, slots, grid(1000000000), cost}, &second);
    EXPECT_EQ(result.outcome, Result::Interrupted);
  }
}

/// Keeps every worker of a pool of two threads busy until it is destroyed.
class BusyWorker {
public:
  explicit BusyWorker(ThreadPool &pool) : launcher([this, &pool] { pool.run({{hold, 0}, slots, grid(2), cost}); }) {
    while (inside < 2) {
      std::this_thread::yield();
    }
  }
  ~BusyWorker() {
    released = true;
    launcher.join();
  }

private:
  static int32_t hold(const uint64_t *slots, const int32_t *, int64_t begin, int64_t end, void *) {
    auto &self = *reinterpret_cast<BusyWorker *>(slots[0]);
    for (self.inside += end - begin; !self.released;) {
      usleep(100);
    }
    return 0;
  }

  uint64_t slots[1] = {reinterpret_cast<uint64_t>(this)};
  ProgramCost cost;
  std::atomic<int64_t> inside{0};
  std::atomic<bool> released{false};
  std::thread launcher;
};

std::atomic<int> teamRuns{0};

/// Stands for the application's threads: two others and the caller.
bool runOnThree(void (*function)(void *), void *argument) {
  ++teamRuns;
  std::thread first(function, argument), second(function, argument);
  function(argument);
  first.join();
  second.join();
  return true;
}

TEST(ThreadPool, StarvedLaunchesTakeTheThreadsOfTheApplication) {
  ThreadPool pool(2, {nullptr, runOnThree});
  BusyWorker busy(pool);
  teamRuns = 0;
  ProgramCost cost;
  uint64_t slots[] = {100};
  EXPECT_EQ(pool.run({{sleepKernel, 0}, slots, grid(4), cost}).outcome, Result::Finished);
  EXPECT_EQ(teamRuns, 0);
  std::vector<int32_t> counters(100000);
  ProgramCost unknown;
  EXPECT_EQ(countOn(pool, counters, unknown).outcome, Result::Finished);
  EXPECT_EQ(teamRuns, 1);
  EXPECT_EQ(counters, std::vector<int32_t>(counters.size(), 1));
}

TEST(ThreadPool, TheThreadsOfTheApplicationReportFailuresAndStop) {
  ThreadPool pool(2, {nullptr, runOnThree});
  BusyWorker busy(pool);
  ProgramCost cost, other;
  uint64_t slots[] = {100};
  pool.run({{sleepKernel, 0}, slots, grid(4), cost});
  std::atomic<int64_t> executed{0};
  uint64_t counter[] = {reinterpret_cast<uint64_t>(&executed)};
  Result result = pool.run({{failFrom100, 0}, counter, grid(1 << 30), other});
  EXPECT_EQ(result.outcome, Result::Failed);
  EXPECT_EQ(result.status, 42);
  After second(2);
  EXPECT_EQ(pool.run({{sleepKernel, 0}, slots, grid(1000000000), cost}, &second).outcome, Result::Interrupted);
}

TEST(ThreadPool, ScratchIsAlignedPrivateAndLargeEnough) {
  auto fillScratch = [](const uint64_t *slots, const int32_t *, int64_t begin, int64_t end, void *scratch) -> int32_t {
    auto *words = static_cast<int64_t *>(scratch);
    for (int64_t i = begin; i < end; ++i) {
      std::fill(words, words + 12500, i);
      for (int k = 0; k < 12500; ++k) {
        if (words[k] != i) {
          return 1;
        }
      }
    }
    return reinterpret_cast<uintptr_t>(scratch) % 64 ? 2 : 0;
  };
  ThreadPool pool(4);
  ProgramCost cost;
  EXPECT_EQ(pool.run({{fillScratch, 100000}, nullptr, grid(500), cost}).outcome, Result::Finished);
}

TEST(ThreadPool, ScratchThatCannotBeHadIsReported) {
  ThreadPool pool(2);
  ProgramCost cost;
  uint64_t slots[] = {0};
  EXPECT_EQ(pool.run({{sleepKernel, size_t(1) << 60}, slots, grid(4), cost}).outcome, Result::OutOfMemory);
}

TEST(ThreadPool, ChildOfAForkHasItsOwn) {
  std::vector<int32_t> counters(200000);
  ProgramCost cost;
  countOn(ThreadPool::instance(), counters, cost);
  pid_t child = fork();
  if (child == 0) {
    std::vector<int32_t> own(200000);
    countOn(ThreadPool::instance(), own, cost);
    _exit(own == std::vector<int32_t>(own.size(), 1) ? 7 : 8);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  countOn(ThreadPool::instance(), counters, cost);
  EXPECT_EQ(counters, std::vector<int32_t>(counters.size(), 2));
}
