#include "tilewright/Runtime/Host/CpuCount.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace tilewright::runtime;

TEST(Quota, RoundsUp) {
  EXPECT_EQ(processorsOfQuota("200000 100000"), 2u);
  EXPECT_EQ(processorsOfQuota("150000 100000"), 2u);
  EXPECT_EQ(processorsOfQuota("10000 100000"), 1u);
}

TEST(Quota, NoLimit) {
  EXPECT_FALSE(processorsOfQuota("max 100000"));
  EXPECT_FALSE(processorsOfQuota("-1 100000"));
  EXPECT_FALSE(processorsOfQuota(""));
  EXPECT_FALSE(processorsOfQuota("100000 0"));
}

TEST(ThreadsToUse, ObeysTheEnvironment) {
  setenv("TILEWRIGHT_NUM_THREADS", "3", 1);
  EXPECT_EQ(threadsToUse(), 3u);
  unsetenv("TILEWRIGHT_NUM_THREADS");
  unsigned usual = threadsToUse();
  EXPECT_GE(usual, 1u);
  for (const char *bad : {"0", "-2", "two", "2x"}) {
    setenv("TILEWRIGHT_NUM_THREADS", bad, 1);
    EXPECT_EQ(threadsToUse(), usual) << bad;
  }
  unsetenv("TILEWRIGHT_NUM_THREADS");
}

TEST(ThreadsToUse, FirstNumber) {
  EXPECT_EQ(firstNumber("4"), 4u);
  EXPECT_EQ(firstNumber("2,8"), 2u);
  for (const char *bad : {"", "0", "-1", "4x", ",4"}) {
    EXPECT_FALSE(firstNumber(bad)) << bad;
  }
  EXPECT_FALSE(firstNumber(nullptr));
}
