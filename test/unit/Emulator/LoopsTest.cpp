// The limit on loop iterations, and the calls of Launch::interrupted in loops.

#include "tilewright/Emulator/Instruction.h"

#include "tilewright/Emulator/Block.h"

#include "gtest/gtest.h"

using namespace tilewright::emulator;

namespace {

int turns; // the trip count of the kernel's loop

/// A loop as countLoops() instruments it.
void loop(Thread *thread, const uint64_t *) {
  static const Instruction &tick = *findInstruction("emulator.tick");
  for (int i = 0; i < turns; ++i) {
    if (--thread->ticks < 0) {
      tick.function(*thread, 0, nullptr, nullptr);
    }
  }
}

/// The number of reports about a kernel with such a loop.
size_t reports(int loopTurns, int64_t maxSteps) {
  turns = loopTurns;
  Kernel kernel;
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

unsigned char sharedAfterwards;
bool wasAsked;

void setShared(Thread *thread, const uint64_t *slots) { thread->shared[0] = static_cast<unsigned char>(slots[0]); }

void setSharedAndLoopUntilAsked(Thread *thread, const uint64_t *slots) {
  setShared(thread, slots);
  while (!wasAsked) {
    thread->ticks = -1;
    findInstruction("emulator.tick")->function(*thread, 0, nullptr, nullptr);
  }
  sharedAfterwards = thread->shared[0];
}

void runOneThread(ThreadCode code, uint64_t slot, const std::function<bool()> &interrupted) {
  Kernel kernel;
  kernel.code = code;
  kernel.threads = 1;
  kernel.sharedBytes = 16;
  kernel.sites.resize(1);
  Settings settings;
  Launch launch(kernel, settings);
  launch.slots = &slot;
  launch.interrupted = interrupted;
  runBlocks(launch, 0, 1);
}

TEST(LoopsTest, LaunchFromAnInterruptLeavesSharedMemoryAlone) {
  wasAsked = false;
  runOneThread(setSharedAndLoopUntilAsked, 1, [] {
    runOneThread(setShared, 2, nullptr);
    wasAsked = true;
    return false;
  });
  EXPECT_EQ(sharedAfterwards, 1);
}

} // namespace
