#include "tilewright/Layout/Reduction.h"

#include "Samples.h"

#include "gtest/gtest.h"

#include <numeric>

namespace tilewright::layout {
namespace {

/// Adds up all elements along `dim` by the plan's steps; each element is a different number.
void expectReduces(const LinearLayout &layout, int dim) {
  ReductionPlan plan = planReduction(layout, dim);
  ASSERT_TRUE(plan.isComplete);
  uint64_t size = uint64_t(1) << layout.totalInBits();
  std::vector<int64_t> values(size), sums(uint64_t(1) << layout.totalOutBits());
  auto valueOf = [](uint64_t element) { return static_cast<int64_t>(element * element + 7 * element + 1); };
  for (uint64_t x = 0; x < size; ++x) {
    values[x] = valueOf(layout.apply(x));
  }
  for (auto [in, masks] :
       {std::pair(kRegister, plan.registers), {kLane, plan.lanes}, {kWarp, plan.warps}, {kBlock, plan.blocks}}) {
    for (uint64_t mask : masks) {
      std::vector<int64_t> next = values;
      for (uint64_t x = 0; x < size; ++x) {
        next[x] += values[x ^ mask << layout.inStart(in)];
      }
      values = next;
    }
  }
  int start = layout.outStart(dimName(dim));
  uint64_t along = (static_cast<uint64_t>(layout.outSize(dimName(dim))) - 1) << start;
  for (uint64_t element = 0; element < sums.size(); ++element) {
    sums[element & ~along] += valueOf(element);
  }
  for (uint64_t x = 0; x < size; ++x) {
    ASSERT_EQ(values[x], sums[layout.apply(x) & ~along]);
  }
}

TEST(Reduction, commonLayouts) {
  for (const LinearLayout &layout : commonLayouts(16)) {
    expectReduces(layout, 0);
    expectReduces(layout, 1);
  }
}

TEST(Reduction, thePictureOfTheHeader) {
  LinearLayout layout = LinearLayout::fromBases(
      {{"register", {{0, 1}, {4, 0}}}, {"lane", {{0, 2}, {0, 4}, {1, 0}}}, {"warp", {{2, 0}}}, {"block", {}}},
      {{"dim0", 3}, {"dim1", 3}});
  ReductionPlan rows = planReduction(layout, 1), columns = planReduction(layout, 0);
  EXPECT_EQ(rows.registers, std::vector<uint32_t>{1});
  EXPECT_EQ(rows.lanes, (std::vector<uint32_t>{1, 2}));
  EXPECT_TRUE(rows.isInWarp() && !rows.isInThread());
  EXPECT_EQ(columns.registers, std::vector<uint32_t>{2});
  EXPECT_EQ(columns.lanes, std::vector<uint32_t>{4});
  EXPECT_EQ(columns.warps, std::vector<uint32_t>{1});
  EXPECT_FALSE(columns.isInWarp());
}

TEST(Reduction, randomLayoutsWithCopies) {
  Random random(17);
  int complete = 0;
  for (int trial = 0; trial < 500; ++trial) {
    bool isUnit = trial % 2;
    LinearLayout layout = randomDistributed(random, 2, 3, 3, 1, isUnit, static_cast<int>(random() % 3));
    for (int dim : {0, 1}) {
      bool isComplete = planReduction(layout, dim).isComplete;
      EXPECT_TRUE(isComplete || !isUnit) << layout.toString();
      if (isComplete) {
        expectReduces(layout, dim);
        ++complete;
      }
    }
  }
  EXPECT_GT(complete, 500);
}

/// Scans a tile by the plan: step i adds the lower half's total to the upper half of each run.
void expectScans(const LinearLayout &layout, int dim) {
  ScanPlan plan = planScan(layout, dim);
  ASSERT_TRUE(plan.isComplete);
  uint64_t size = uint64_t(1) << layout.totalInBits();
  std::vector<int64_t> sums(size), totals;
  for (uint64_t x = 0; x < size; ++x) {
    sums[x] = static_cast<int64_t>(layout.apply(x) * 3 + 1);
  }
  totals = sums;
  for (const ScanStep &step : plan.steps) {
    uint64_t bit = uint64_t(1) << (layout.inStart(step.in) + step.bit);
    std::vector<int64_t> nextSums = sums, nextTotals = totals;
    for (uint64_t x = 0; x < size; ++x) {
      nextSums[x] += x & bit ? totals[x ^ bit] : 0;
      nextTotals[x] += totals[x ^ bit];
    }
    sums = nextSums;
    totals = nextTotals;
  }
  for (uint64_t x = 0; x < size; ++x) {
    LinearLayout::Point point = layout.unpackOut(layout.apply(x));
    int64_t expected = 0;
    for (int64_t i = 0, last = point[dim]; i <= last; ++i) {
      point[dim] = i;
      uint64_t element = point[0] | point[1] << layout.outStart("dim1");
      expected += static_cast<int64_t>(element * 3 + 1);
    }
    ASSERT_EQ(sums[x], expected);
  }
}

TEST(Scan, commonLayouts) {
  for (const LinearLayout &layout : commonLayouts(16)) {
    expectScans(layout, 0);
    expectScans(layout, 1);
  }
}

TEST(Scan, stepsGoFromTheLowestBitUp) {
  LinearLayout layout = blocked({32}, {{2}, {4}, {2}, {0}});
  std::vector<std::pair<std::string, int>> steps;
  for (const ScanStep &step : planScan(layout, 0).steps) {
    steps.emplace_back(step.in, step.bit);
  }
  EXPECT_EQ(steps, (std::vector<std::pair<std::string, int>>{
                       {"register", 0}, {"lane", 0}, {"lane", 1}, {"warp", 0}, {"register", 1}}));
}

TEST(Scan, swizzledCoordinatesNeedAnotherLayout) {
  LinearLayout layout = LinearLayout::fromBases(
      {{"register", {{0, 1}}}, {"lane", {{1, 1}}}, {"warp", {}}, {"block", {}}}, {{"dim0", 1}, {"dim1", 1}});
  EXPECT_FALSE(planScan(layout, 1).isComplete);
  EXPECT_TRUE(planReduction(layout, 1).isComplete);
}

} // namespace
} // namespace tilewright::layout
