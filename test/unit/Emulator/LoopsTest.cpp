// The limit on turns of loops.

#include "tilewright/Emulator/Instruction.h"

#include "tilewright/Emulator/Block.h"

#include "gtest/gtest.h"

using namespace tilewright::emulator;

namespace {

int turns; // of the kernel's loop

/// What the emulator makes of a loop.
void loop(Thread *thread, const uint64_t *) {
  static const Instruction &tick = *findInstruction("emulator.tick");
  for (int i = 0; i < turns; ++i) {
    if (--thread->ticks < 0) {
      tick.function(*thread, 0, nullptr, nullptr);
    }
  }
}

/// How many reports there are of a kernel with such a loop.
size_t reports(int loopTurns, int64_t maxSteps) {
  turns = loopTurns;
  Kernel kernel;
  kernel.name = "kernel";
  kernel.code = loop;
  kernel.threads = 32;
  kernel.sites.resize(1);
  Settings settings;
  settings.maxSteps = maxSteps;
  Launch launch(kernel, settings);
  runBlocks(launch, 0, 1);
  return launch.reports.size();
}

TEST(LoopsTest, AsManyTurnsAsAllowed) {
  EXPECT_EQ(reports(100, 100), 0u);
  EXPECT_EQ(reports(50000, 50000), 0u);
}

TEST(LoopsTest, OneTurnMore) {
  EXPECT_EQ(reports(101, 100), 1u);
  EXPECT_EQ(reports(50001, 50000), 1u);
}

TEST(LoopsTest, NoLimit) { EXPECT_EQ(reports(50001, 0), 0u); }

} // namespace
