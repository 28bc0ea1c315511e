// Barriers of a block.

#include "tilewright/Emulator/Block.h"

#include "gtest/gtest.h"

namespace tilewright::emulator {
namespace {

constexpr uint32_t kStray = 500; // the thread that reaches another barrier

void barriers(Thread *thread, const uint64_t *) {
  uint64_t number = 0;
  findInstruction("barrier.cta.sync.aligned.all")->function(*thread, thread->index == kStray, &number, nullptr);
}

TEST(Barriers, PartOfAWarpIsFoundInAnyOrderOfThreads) {
  Kernel kernel;
  kernel.code = barriers;
  kernel.threads = 1024;
  kernel.sites.resize(2);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Settings settings;
    settings.seed = seed;
    Launch launch(kernel, settings);
    runBlocks(launch, 0, 1);
    ASSERT_EQ(launch.reports.size(), 1u) << seed;
    const Report &report = launch.reports[0];
    EXPECT_EQ(report.kind, Report::Deadlock);
    EXPECT_TRUE(report.thread == kStray || report.otherThread == kStray);
  }
}

/// Two warps at barrier 1: the first arrives and continues, as often as the kernel's argument says, the second waits.
void turns(Thread *thread, const uint64_t *arguments) {
  const uint64_t barrier[] = {1, 64};
  if (thread->warp->index == 1) {
    findInstruction("barrier.cta.sync.aligned.count")->function(*thread, 0, barrier, nullptr);
    return;
  }
  for (uint64_t i = 0; i < arguments[0]; ++i) {
    findInstruction("barrier.cta.arrive.aligned.count")->function(*thread, 1, barrier, nullptr);
  }
}

std::vector<Report> reportsOfTurns(uint64_t arrivals, uint64_t seed) {
  Kernel kernel;
  kernel.code = turns;
  kernel.threads = 64;
  kernel.sites.resize(2);
  Settings settings;
  settings.seed = seed;
  Launch launch(kernel, settings);
  launch.slots = &arrivals;
  runBlocks(launch, 0, 1);
  return launch.reports;
}

TEST(Barriers, AThreadArrivesWithoutWaiting) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_TRUE(reportsOfTurns(1, seed).empty()) << seed;
  }
}

TEST(Barriers, NobodyArrives) {
  std::vector<Report> reports = reportsOfTurns(0, 0);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, Report::Deadlock);
}

TEST(Barriers, ThreadsThatWaitAreMissed) {
  bool isFound = false;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<Report> reports = reportsOfTurns(2, seed);
    isFound |= reports.size() == 1 && reports[0].kind == Report::Fault;
  }
  EXPECT_TRUE(isFound);
}

} // namespace
} // namespace tilewright::emulator
