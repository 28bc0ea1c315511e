// Atomic operations of one warp.

#include "tilewright/Emulator/Execute.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Counters.h"

#include "gtest/gtest.h"

namespace tilewright::emulator {
namespace {

constexpr uint64_t kSmallestSubnormal = 1, kOne = 0x3f800000;

/// What memory holds after one lane has added a float to it.
uint32_t addFloat(uint32_t memory, uint64_t operand) {
  std::vector<uint64_t> operands;
  for (int lane = 0; lane < kLanes; ++lane) {
    operands.insert(operands.end(), {lane == 0, reinterpret_cast<uint64_t>(&memory), 1, operand});
  }
  executeInstruction({*findInstruction("atom.add.f32"), operands, 1, {}, {}});
  return memory;
}

TEST(Atomics, FloatsInGlobalMemoryHaveNoSubnormalNumbers) {
  EXPECT_EQ(addFloat(kSmallestSubnormal, kSmallestSubnormal), 0u);
  EXPECT_EQ(addFloat(kSmallestSubnormal, 0), 0u);
  EXPECT_EQ(addFloat(kOne, kOne), 0x40000000u);
}

int32_t counter;

/// In each of two turns one half of the warp adds.
void halvesTakeTurns(Thread *thread, const uint64_t *) {
  for (uint32_t half = 0; half < 2; ++half) {
    uint64_t in[] = {thread->lane() / 16 == half, reinterpret_cast<uint64_t>(&counter), 1, 1}, out;
    findInstruction("atom.add.u32")->function(*thread, 1, in, &out);
  }
}

TEST(Atomics, LanesThatDoNotTakePartComeToTheRequestAllTheSame) {
  Kernel kernel;
  kernel.code = halvesTakeTurns;
  kernel.threads = kLanes;
  kernel.checked = true;
  kernel.sites.resize(2);
  Settings settings;
  settings.profile = true;
  Launch launch(kernel, settings);
  Profile profile(kernel.sites.size());
  launch.profile = &profile;
  counter = 0;
  runBlocks(launch, 0, 1);
  EXPECT_EQ(counter, kLanes);
  EXPECT_EQ(profile.sites[1].globalStores.requests, 2);
}

} // namespace
} // namespace tilewright::emulator
