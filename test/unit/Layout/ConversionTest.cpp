#include "tilewright/Layout/Conversion.h"

#include "tilewright/Layout/Algebra.h"

#include "Samples.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

namespace tilewright::layout {
namespace {

/// The contents of every register of every thread: [thread][register], elements by packed coordinates.
using State = std::vector<std::vector<uint64_t>>;

State stateOf(const LinearLayout &layout) {
  int registerBits = layout.inBits(kRegister);
  State state(uint64_t(1) << (layout.totalInBits() - registerBits));
  for (uint64_t thread = 0; thread < state.size(); ++thread) {
    for (uint64_t reg = 0; reg < uint64_t(1) << registerBits; ++reg) {
      state[thread].push_back(layout.apply(thread << registerBits | reg));
    }
  }
  return state;
}

State move(const State &state, const RegisterMove &step) {
  State moved(state.size());
  for (size_t thread = 0; thread < state.size(); ++thread) {
    for (size_t reg = 0; reg < step.base.size(); ++reg) {
      moved[thread].push_back(state[thread].at(step.sourceOf(static_cast<int>(reg), thread)));
    }
  }
  return moved;
}

State move(const State &state, const LaneMove &step) {
  State moved(state.size());
  size_t lanes = size_t(1) << step.laneBits;
  for (size_t thread = 0; thread < state.size(); ++thread) {
    for (size_t reg = 0; reg < step.xorMasks.size(); ++reg) {
      size_t lane = step.sourceOf(static_cast<int>(reg), thread);
      EXPECT_LT(lane, lanes);
      moved[thread].push_back(state[thread / lanes * lanes + lane].at(reg));
    }
  }
  return moved;
}

/// Executes the plan; determines whether elements have to cross warps by examining all of them.
ConversionPlan expectConverts(const LinearLayout &from, const LinearLayout &to) {
  ConversionPlan plan = planConversion(from, to);
  State before = stateOf(from), after = stateOf(to);
  size_t lanes = size_t(1) << from.inBits(kLane), elements = size_t(1) << from.totalOutBits();
  bool inThread = true, inWarp = true;
  for (size_t warp = 0; warp < after.size() / lanes; ++warp) {
    std::vector<bool> heldByWarp(elements);
    for (size_t thread = warp * lanes; thread < (warp + 1) * lanes; ++thread) {
      for (uint64_t element : before[thread]) {
        heldByWarp[element] = true;
      }
    }
    for (size_t thread = warp * lanes; thread < (warp + 1) * lanes; ++thread) {
      std::set<uint64_t> heldByThread(before[thread].begin(), before[thread].end());
      for (uint64_t element : after[thread]) {
        inThread &= heldByThread.count(element) != 0;
        inWarp &= heldByWarp[element];
      }
    }
  }
  EXPECT_EQ(plan.kind <= ConversionKind::Registers, inThread);
  if (plan.kind <= ConversionKind::Lanes) {
    EXPECT_TRUE(inWarp);
    EXPECT_EQ(move(move(move(before, plan.before), plan.shuffle), plan.after), after);
  } else {
    EXPECT_FALSE(inWarp) << from.toString() << to.toString();
  }
  EXPECT_EQ(plan.kind == ConversionKind::None, before == after);
  return plan;
}

TEST(Conversion, nothingToDo) {
  for (const LinearLayout &layout : commonLayouts(16)) {
    EXPECT_EQ(expectConverts(layout, layout).kind, ConversionKind::None);
  }
}

TEST(Conversion, registersOnly) {
  LinearLayout rows = blocked({4, 32}, {{4, 1}, {1, 32}, {1, 1}, {1, 0}});
  LinearLayout columns = LinearLayout::fromBases({{"register", {{2, 0}, {1, 0}}},
                                                  {"lane", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}}},
                                                  {"warp", {}},
                                                  {"block", {}}},
                                                 rows.outs());
  ConversionPlan plan = expectConverts(rows, columns);
  EXPECT_EQ(plan.kind, ConversionKind::Registers);
  EXPECT_EQ(plan.before.base, (std::vector<int>{0, 2, 1, 3}));
  EXPECT_EQ(plan.shuffles(), 0);
}

TEST(Conversion, exchangingABitCostsHalfOfTheRegisters) {
  // The example of Conversion.h.
  LinearLayout rows = LinearLayout::fromBases({{"register", {{0, 1}}}, {"lane", {{1, 0}}}, {"warp", {}}, {"block", {}}},
                                              {{"dim0", 1}, {"dim1", 1}});
  ConversionPlan plan = expectConverts(rows, transposed(rows, {1, 0}));
  EXPECT_EQ(plan.kind, ConversionKind::Lanes);
  EXPECT_TRUE(plan.shuffle.isButterfly());
  EXPECT_EQ(plan.shuffles(), 1);
  EXPECT_EQ(plan.shuffle.xorMasks, (std::vector<int>{0, 1}));
}

TEST(Conversion, kExchangedBitsCostTheirShare) {
  for (int64_t size : {2, 4, 8, 16, 32}) {
    // A row of `size` elements per lane becomes a column.
    LinearLayout rows = blocked({32, size}, {{1, size}, {32, 1}, {1, 1}, {1, 0}});
    LinearLayout columns = blocked({32, size}, {{size, 1}, {32 / size, size}, {1, 1}, {1, 0}});
    ConversionPlan plan = expectConverts(rows, columns);
    EXPECT_EQ(plan.kind, ConversionKind::Lanes);
    EXPECT_LE(plan.shuffles(), plan.shuffle.isButterfly() ? size - 1 : size);
  }
}

TEST(Conversion, lanesAmongThemselves) {
  LinearLayout lanes = blocked({1, 32}, {{1, 1}, {1, 32}, {1, 1}, {1, 0}});
  LinearLayout reversed = LinearLayout::fromBases(
      {{"register", {}}, {"lane", {{0, 16}, {0, 8}, {0, 4}, {0, 2}, {0, 1}}}, {"warp", {}}, {"block", {}}},
      lanes.outs());
  ConversionPlan plan = expectConverts(lanes, reversed);
  EXPECT_EQ(plan.kind, ConversionKind::Lanes);
  EXPECT_EQ(plan.shuffles(), 1);
  EXPECT_EQ(plan.selects(), 0);
}

TEST(Conversion, accumulatorsBecomeOperandsInRegisters) {
  // The two adjacent n8 fragments of C are the k16 fragment of A for 16-bit elements.
  LinearLayout c = mmaOperand(Operand::C, hardware::mmaFragment(Operand::C, {16, 8, 16}, 32), {64, 64}, {4, 1});
  LinearLayout a = mmaOperand(Operand::A, hardware::mmaFragment(Operand::A, {16, 8, 16}, 16), {64, 64}, {4, 1});
  EXPECT_EQ(expectConverts(c, a).kind, ConversionKind::None);
  LinearLayout a8 = mmaOperand(Operand::A, hardware::mmaFragment(Operand::A, {16, 8, 32}, 8), {64, 64}, {4, 1});
  EXPECT_EQ(expectConverts(c, a8).kind, ConversionKind::Lanes);
}

TEST(Conversion, commonPairs) {
  std::map<ConversionKind, int> kinds;
  std::vector<LinearLayout> layouts = commonLayouts(16);
  for (size_t i = 0; i < layouts.size(); ++i) {
    for (size_t j = i % 2; j < layouts.size(); j += 2) {
      ++kinds[expectConverts(layouts[i], layouts[j]).kind];
    }
  }
  EXPECT_GT(kinds[ConversionKind::Lanes], 5);
  EXPECT_GT(kinds[ConversionKind::Shared], 100);
}

TEST(Conversion, randomInvertiblePairsInAWarp) {
  Random random(15);
  for (int trial = 0; trial < 1500; ++trial) {
    LinearLayout from = randomDistributed(random, 3, 3, 3, 0, trial % 2, 0);
    LinearLayout to = randomDistributed(random, 3, 3, 3, 0, trial % 2, 0);
    ConversionPlan plan = expectConverts(from, to);
    EXPECT_LE(plan.kind, ConversionKind::Lanes);
    ASSERT_FALSE(testing::Test::HasFailure()) << from.toString() << to.toString();
  }
}

TEST(Conversion, randomPairsWithCopies) {
  Random random(16);
  std::map<ConversionKind, int> kinds;
  for (int trial = 0; trial < 3000; ++trial) {
    LinearLayout from = randomDistributed(random, 2, 2, 3, 1, trial % 2, static_cast<int>(random() % 4));
    LinearLayout to = randomDistributed(random, 2, 2, 3, 1, trial % 2, static_cast<int>(random() % 4));
    ++kinds[expectConverts(from, to).kind];
    ASSERT_FALSE(testing::Test::HasFailure()) << from.toString() << to.toString();
  }
  EXPECT_GT(kinds[ConversionKind::Lanes], 100);
  EXPECT_GT(kinds[ConversionKind::Shared], 100);
}

TEST(Conversion, everyUnitLayoutOfAWarp) {
  // Two register bits and two lane bits: all conversions between all distributions of four bits.
  std::vector<LinearLayout> layouts;
  Columns columns = {1, 2, 4, 8};
  do {
    layouts.push_back({{{"register", 2}, {"lane", 2}, {"warp", 0}, {"block", 0}}, {{"dim0", 2}, {"dim1", 2}}, columns});
  } while (std::next_permutation(columns.begin(), columns.end()));
  for (const LinearLayout &from : layouts) {
    for (const LinearLayout &to : layouts) {
      expectConverts(from, to);
    }
  }
}

TEST(Conversion, acrossBlocks) {
  LinearLayout tile = blocked({8, 8}, {{1, 2}, {8, 4}, {1, 1}, {1, 0}});
  LinearLayout rows = splitOverBlocks(tile, {2, 1}, {1, 0});
  EXPECT_EQ(planConversion(rows, rows).kind, ConversionKind::None);
  LinearLayout columns = splitOverBlocks(blocked({16, 4}, {{1, 2}, {16, 2}, {1, 1}, {1, 0}}), {1, 2}, {1, 0});
  EXPECT_EQ(planConversion(rows, columns).kind, ConversionKind::Cluster);
}

} // namespace
} // namespace tilewright::layout
