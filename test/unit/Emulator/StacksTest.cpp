// The stacks of fibers.

#include "Stacks.h"

#include "gtest/gtest.h"

#include <set>

using namespace tilewright::emulator;

// Linux allows 65530 mappings per process by default.
TEST(Stacks, ThereAreMoreThanAProcessMayHaveMappings) {
  StackPool pool;
  std::set<void *> stacks;
  for (int i = 0; i < 70000; ++i) {
    void *stack = pool.take();
    ASSERT_NE(stack, nullptr) << i;
    stacks.insert(stack);
  }
  EXPECT_EQ(stacks.size(), 70000u);
}

TEST(Stacks, TheFirstOnesHaveAPageThatFaults) {
  for (int i = 0; i < 3; ++i) {
    StackPool pool;
    auto *end = static_cast<char *>(pool.take());
    EXPECT_TRUE(pool.isGuard(end - StackPool::kBytes));
    EXPECT_FALSE(pool.isGuard(end - 1));
    EXPECT_FALSE(pool.isGuard(end));
  }
}

TEST(Stacks, AreUsedAgain) {
  StackPool pool;
  void *stack = pool.take();
  pool.give(stack);
  EXPECT_EQ(pool.take(), stack);
}
