#include "tilewright/Layout/Gather.h"

#include "Samples.h"

#include "gtest/gtest.h"

namespace tilewright::layout {
namespace {

/// The element that the plan selects for index `index` along the dimension and a register of a thread.
uint64_t planned(const LinearLayout &source, const GatherPlan &plan, int64_t reg, uint64_t thread, uint64_t index) {
  uint64_t registers = plan.registers[reg];
  for (size_t bit = 0; bit < plan.bits.size(); ++bit) {
    uint64_t mask = uint64_t(1) << plan.bits[bit].bit, value = index >> bit & 1 ? mask : 0;
    (plan.bits[bit].in == kRegister ? registers : thread) &= ~mask;
    (plan.bits[bit].in == kRegister ? registers : thread) |= value;
  }
  return source.apply(registers | thread << source.inBits(kRegister));
}

/// Checks that every thread gets every index at the coordinates of each of its registers.
void expectFinds(const LinearLayout &source, const LinearLayout &indices, int dim) {
  GatherPlan plan = planGather(source, indices, dim);
  ASSERT_TRUE(plan.isInWarp);
  ASSERT_EQ(int64_t(plan.registers.size()), indices.inSize(kRegister));
  std::string name = dimName(dim);
  uint64_t threads = uint64_t(1) << (indices.totalInBits() - indices.inBits(kRegister));
  for (uint64_t thread = 0; thread < threads; ++thread) {
    for (int64_t reg = 0; reg < indices.inSize(kRegister); ++reg) {
      LinearLayout::Point wanted = indices.unpackOut(indices.apply(reg | thread << indices.inBits(kRegister)));
      for (int64_t index = 0; index < source.outSize(name); ++index) {
        wanted[dim] = index;
        ASSERT_EQ(source.unpackOut(planned(source, plan, reg, thread, index)), wanted);
      }
    }
  }
}

LinearLayout rows(const std::vector<LinearLayout::Point> &registers, const std::vector<LinearLayout::Point> &lanes) {
  return LinearLayout::fromBases({{"register", registers}, {"lane", lanes}, {"warp", {}}, {"block", {}}},
                                 {{"dim0", 2}, {"dim1", 3}});
}

TEST(Gather, rowsInsideAWarp) {
  LinearLayout layout = rows({{0, 1}, {2, 0}}, {{0, 2}, {0, 4}, {1, 0}});
  expectFinds(layout, layout, 1);
  expectFinds(layout, layout, 0);
  GatherPlan plan = planGather(layout, layout, 1);
  EXPECT_EQ(plan.registerBits(), 1);
  EXPECT_EQ(plan.laneBits(), 2);
}

TEST(Gather, indicesInOtherRegisters) {
  LinearLayout source = rows({{0, 1}, {2, 0}, {0, 4}}, {{0, 2}, {0, 0}, {1, 0}});
  LinearLayout indices = rows({{2, 0}, {0, 2}}, {{0, 4}, {0, 1}, {1, 0}});
  expectFinds(source, indices, 1);
}

TEST(Gather, anotherWarpOrAnotherRow) {
  LinearLayout source = rows({{0, 1}, {2, 0}}, {{0, 2}, {0, 4}, {1, 0}});
  EXPECT_FALSE(planGather(source, rows({{0, 1}, {1, 0}}, {{0, 2}, {0, 4}, {2, 0}}), 1).isInWarp);
  LinearLayout warps = LinearLayout::fromBases(
      {{"register", {}}, {"lane", {{1, 0}, {2, 0}}}, {"warp", {{0, 1}, {0, 2}, {0, 4}}}, {"block", {}}},
      {{"dim0", 2}, {"dim1", 3}});
  EXPECT_FALSE(planGather(warps, warps, 1).isInWarp);
  EXPECT_TRUE(planGather(warps, warps, 0).isInWarp);
}

} // namespace
} // namespace tilewright::layout
