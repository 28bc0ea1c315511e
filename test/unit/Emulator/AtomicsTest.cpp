// Atomic operations of one warp.

#include "tilewright/Emulator/Execute.h"

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Counters.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace tilewright::emulator {
namespace {

constexpr uint64_t kSmallestSubnormal = 1, kOne = 0x3f800000;

/// The contents of memory after one lane has added a float to it.
uint32_t addFloat(uint32_t memory, uint64_t operand) {
  std::vector<uint64_t> operands;
  for (int lane = 0; lane < kLanes; ++lane) {
    operands.insert(operands.end(), {lane == 0, reinterpret_cast<uint64_t>(&memory), 1, 0, operand});
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

/// The two halves of the warp add one after the other.
void halvesTakeTurns(Thread *thread, const uint64_t *) {
  for (uint32_t half = 0; half < 2; ++half) {
    uint64_t in[] = {thread->lane() / 16 == half, reinterpret_cast<uint64_t>(&counter), 1, 0, 1}, out;
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

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// How a word is passed from lane 0 to lane 1, and whether that orders the accesses.
struct Message {
  AtomicOrder send, receive;
  bool fenceBefore, fenceAfter;
  bool isOrdered;
};
Message message;
uint32_t word, flag;

/// Atomics are at site 2, everything else at site 1.
void call(Thread &thread, const char *name, std::initializer_list<uint64_t> in, uint64_t *out) {
  int32_t site = std::string_view(name).substr(0, 4) == "atom" ? 2 : 1;
  findInstruction(name)->function(thread, site, in.begin(), out);
}

/// Lane 0 writes the word and sets the flag; lane 1 waits for the flag and reads the word.
void passMessage(Thread *thread, const uint64_t *) {
  auto at = [](uint32_t &memory) { return reinterpret_cast<uint64_t>(&memory); };
  uint64_t out[4] = {};
  if (thread->lane() == 0) {
    call(*thread, "st.global", {1, at(word), 4, 1, 7}, out);
    if (message.fenceBefore) {
      call(*thread, "fence.acq_rel.gpu", {}, out);
    }
    call(*thread, "atom.exch.b32", {1, at(flag), 1, static_cast<uint64_t>(message.send), 1}, out);
  } else if (thread->lane() == 1) {
    while (out[0] == 0) {
      thread->yield();
      call(*thread, "atom.or.b32", {1, at(flag), 1, static_cast<uint64_t>(message.receive), 0}, out);
    }
    if (message.fenceAfter) {
      call(*thread, "fence.acq_rel.gpu", {}, out);
    }
    call(*thread, "ld.global", {1, at(word), 4, 1}, out);
    EXPECT_EQ(out[0], 7u);
  }
}

size_t racesOf(const Message &tried) {
  message = tried;
  word = flag = 0;
  Kernel kernel;
  kernel.code = passMessage;
  kernel.threads = kLanes;
  kernel.checked = true;
  kernel.sites.resize(3);
  Settings settings;
  settings.checkRaces = true;
  Launch launch(kernel, settings);
  runBlocks(launch, 0, 1);
  // ProgramOrder requires that all threads reach the same atomics, which these threads do not. Ignore its reports.
  return std::count_if(launch.reports.begin(), launch.reports.end(),
                       [](const Report &report) { return report.message.find("orders") == std::string::npos; });
}

TEST(Atomics, OrderWhatTheyAskFor) {
  using Order = AtomicOrder;
  const Message messages[] = {
      {Order::Release, Order::Acquire, false, false, true},
      {Order::AcquireRelease, Order::AcquireRelease, false, false, true},
      {Order::Relaxed, Order::Relaxed, true, true, true},
      {Order::Relaxed, Order::Acquire, true, false, true},
      {Order::Release, Order::Relaxed, false, true, true},
      {Order::Relaxed, Order::Relaxed, false, false, false},
      {Order::Relaxed, Order::Acquire, false, false, false},
      {Order::Release, Order::Relaxed, false, false, false},
      {Order::Acquire, Order::Acquire, false, false, false},
      {Order::Relaxed, Order::Relaxed, true, false, false},
      {Order::Relaxed, Order::Relaxed, false, true, false},
  };
  for (const Message &tried : messages) {
    EXPECT_EQ(racesOf(tried), tried.isOrdered ? 0u : 1u)
        << static_cast<int>(tried.send) << " " << static_cast<int>(tried.receive) << " " << tried.fenceBefore
        << tried.fenceAfter;
  }
}

} // namespace
} // namespace tilewright::emulator
