#include "tilewright/Layout/SharedAddresses.h"

#include "tilewright/Layout/Shared.h"

#include "Samples.h"

#include "gtest/gtest.h"

namespace tilewright::layout {
namespace {

std::vector<int> allRegisters(const LinearLayout &layout) {
  std::vector<int> registers;
  for (int reg = 0; reg < layout.inSize(kRegister); ++reg) {
    registers.push_back(reg);
  }
  return registers;
}

/// The addresses that the generated code computes, for every thread and register.
void expectAddresses(const LinearLayout &offsets, int64_t start = 0) {
  SharedAddresses plan = planAddresses(offsets, allRegisters(offsets), start);
  for (int64_t warp = 0; warp < offsets.inSize(kWarp); ++warp) {
    for (int64_t lane = 0; lane < offsets.inSize(kLane); ++lane) {
      int64_t thread = offsets({0, lane, warp})[0];
      for (int64_t reg = 0; reg < offsets.inSize(kRegister); ++reg) {
        auto [base, immediate] = plan.addresses[reg];
        EXPECT_EQ((thread ^ plan.xorMasks[base]) + immediate, start ^ offsets({reg, lane, warp})[0]);
      }
    }
  }
}

TEST(SharedAddresses, randomLayouts) {
  Random random(7);
  for (int trial = 0; trial < 100; ++trial) {
    LinearLayout distributed = randomDistributed(random, 4, 5, 5, 1, trial % 2 == 0, trial % 3);
    LinearLayout shared({{std::string(kOffset), 9}}, {{dimName(0), 4}, {dimName(1), 5}}, randomInvertible(random, 9));
    expectAddresses(offsetsOf(distributed, shared));
  }
}

TEST(SharedAddresses, layoutsOfKernels) {
  for (const LinearLayout &distributed : commonLayouts(16)) {
    for (const Swizzle &swizzle : {Swizzle{}, Swizzle{8, 1, 8}, Swizzle{8, 2, 4}}) {
      expectAddresses(offsetsOf(distributed, swizzled({64, 64}, {1, 0}, swizzle)));
      expectAddresses(offsetsOf(distributed, swizzled({64, 64}, {0, 1}, swizzle)));
    }
  }
}

TEST(SharedAddresses, partsOfWhatIsInSharedMemory) {
  LinearLayout shared = swizzled({64, 64}, {1, 0}, {8, 1, 8});
  LinearLayout part = blocked({64, 16}, {{1, 8}, {16, 2}, {4, 1}, {1, 0}});
  LinearLayout offsets = offsetsOf(part, shared);
  for (int64_t column : {0, 16, 32, 48}) {
    int64_t start = offsetOf({0, column}, shared);
    expectAddresses(offsets, start);
    for (int64_t lane = 0; lane < 32; ++lane) {
      LinearLayout::Point element = part({5, lane, 3, 0});
      element[1] += column;
      EXPECT_EQ(shared({start ^ offsets({5, lane, 3})[0]}), element);
    }
  }
}

TEST(SharedAddresses, oneBaseWhereNothingIsSwizzled) {
  LinearLayout rows = blocked({64, 64}, {{1, 8}, {4, 8}, {4, 1}, {1, 0}});
  EXPECT_EQ(planAddresses(offsetsOf(rows, swizzled({64, 64}, {1, 0})), allRegisters(rows)).xorMasks.size(), 1U);
}

TEST(SharedAddresses, oneBasePerFlipOfTheThreadsBits) {
  // Threads affect bits 0 to 2; register 1 affects none of them, register 2 one, both one.
  LinearLayout offsets = LinearLayout::fromBases(
      {{"register", {{8}, {10}}}, {"lane", {{1}, {2}, {4}, {0}, {0}}}, {"warp", {}}}, {{"offset", 4}});
  SharedAddresses plan = planAddresses(offsets, {0, 1, 2, 3});
  EXPECT_EQ(plan.xorMasks, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(plan.addresses[1].immediate, 8);
  EXPECT_EQ(plan.addresses[3].base, 1U);
  EXPECT_EQ(plan.addresses[3].immediate, 0);
}

TEST(SharedAddresses, inBytes) {
  LinearLayout offsets = LinearLayout::identity(kLane, kOffset, 32);
  EXPECT_EQ(inBytes(offsets, 4)({5})[0], 20);
  EXPECT_EQ(inBytes(offsets, 4).outSize(kOffset), 128);
}

} // namespace
} // namespace tilewright::layout
