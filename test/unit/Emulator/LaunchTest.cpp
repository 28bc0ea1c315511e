// The largest block that a GPU supports. Its code is written by hand, in the form of generated code.

#include "tilewright/Emulator/Block.h"

#include "gtest/gtest.h"

using namespace tilewright::emulator;

namespace {

constexpr int64_t kMostSharedOf90 = 227 << 10;

void call(const char *name, Thread *thread, const uint64_t *in = nullptr) {
  uint64_t out[4];
  findInstruction(name)->function(*thread, 0, in, out);
}

/// Fills the thread's part of shared memory, and adds up that of its neighbor.
void fillShared(Thread *thread, const uint64_t *slots) {
  int64_t part = kMostSharedOf90 / 1024;
  for (int64_t i = 0; i < part; ++i) {
    thread->shared[thread->index * part + i] = static_cast<unsigned char>(thread->index + i);
  }
  uint64_t barrier = 0;
  call("barrier.cta.sync.aligned.all", thread, &barrier);
  uint32_t next = (thread->index + 1) % 1024, sum = 0;
  for (int64_t i = 0; i < part; ++i) {
    sum += thread->shared[next * part + i] == static_cast<unsigned char>(next + i);
  }
  reinterpret_cast<uint32_t *>(slots[0])[thread->index] = sum;
}

} // namespace

TEST(Launch, ABlockMayHave1024ThreadsAndAllSharedMemory) {
  Kernel kernel;
  kernel.code = fillShared;
  kernel.threads = 1024;
  kernel.sites.resize(1);
  kernel.sharedBytes = kMostSharedOf90;
  Settings settings;
  Launch launch(kernel, settings);
  std::vector<uint32_t> sums(1024);
  auto slot = reinterpret_cast<uint64_t>(sums.data());
  launch.slots = &slot;
  EXPECT_TRUE(runBlocks(launch, 0, 1));
  EXPECT_EQ(sums, std::vector<uint32_t>(1024, kMostSharedOf90 / 1024));
}
