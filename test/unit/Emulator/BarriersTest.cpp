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

} // namespace
} // namespace tilewright::emulator
