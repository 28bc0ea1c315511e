#include "tilewright/Hardware/Nvidia.h"

#include "gtest/gtest.h"

namespace tilewright::hardware {
namespace {

TEST(Nvidia, sevenTargetsByBothNames) {
  ASSERT_EQ(nvidiaTargets().size(), 7U);
  NvidiaTargets seen = 0;
  for (const NvidiaInfo &info : nvidiaTargets()) {
    EXPECT_EQ(lookupNvidia(info.name), &info);
    EXPECT_EQ(lookupNvidia(info.name.substr(3)), &info);
    EXPECT_EQ(seen & info.target, 0U);
    seen |= info.target;
  }
  EXPECT_EQ(seen, 127U);
  EXPECT_EQ(lookupNvidia("sm_70"), nullptr);
  EXPECT_EQ(lookupNvidia(""), nullptr);
}

TEST(Nvidia, aBlockLeavesTheSystemItsShare) {
  for (const NvidiaInfo &info : nvidiaTargets()) {
    EXPECT_EQ(info.sharedPerSm - info.sharedPerBlock, kReservedSharedPerBlock);
    EXPECT_GE(info.threadsPerSm(), kThreadsPerBlock);
  }
}

TEST(Nvidia, blocksThatFit) {
  const NvidiaInfo &hopper = *lookupNvidia("90a");
  EXPECT_EQ(blocksThatFit(hopper, 32, 16, 0), 32);  // blocks
  EXPECT_EQ(blocksThatFit(hopper, 1024, 16, 0), 2); // threads
  EXPECT_EQ(blocksThatFit(hopper, 128, 128, 0), 4); // registers
  EXPECT_EQ(blocksThatFit(hopper, 128, 121, 0), 4); // allocated in eights
  EXPECT_EQ(blocksThatFit(hopper, 160, 168, 0), 2); // three warps on each of four parts, which have 15 or 10
  EXPECT_EQ(blocksThatFit(hopper, 288, 168, 0), 1);
  EXPECT_EQ(blocksThatFit(hopper, 288, 176, 0), 0);         // three warps on one of the parts
  EXPECT_EQ(blocksThatFit(hopper, 1024, 65, 0), 0);         // too many registers
  EXPECT_EQ(blocksThatFit(hopper, 128, 32, 113 * 1024), 2); // shared memory, with the system's share
  EXPECT_EQ(blocksThatFit(hopper, 128, 32, 114 * 1024), 1);
  EXPECT_EQ(blocksThatFit(*lookupNvidia("86"), 128, 32, 99 * 1024), 1);
}

} // namespace
} // namespace tilewright::hardware
