// Collective instructions of a warp: PTX ISA 9.7.9.6 shfl.sync and 9.7.13.9 to 9.7.13.14.

#include "Lanes.h"

namespace tilewright::emulator {
namespace {

/// Shuffles the values 100 + lane. Returns the value and predicate of each lane.
Slots shuffle(std::string mode, uint32_t operand, uint32_t clamp) {
  auto operands = [&](int lane) { return Slots{kAllLanes, 100u + lane, operand, clamp}; };
  Outcome outcome = executeWarp("shfl.sync." + mode + ".b32 d|p", operands, 2);
  EXPECT_TRUE(outcome.reports.empty());
  return outcome.results;
}

void expectShuffle(std::string mode, uint32_t operand, uint32_t clamp, const std::function<int(int lane)> &source,
                   const std::function<bool(int lane)> &inRange) {
  Slots results = shuffle(mode, operand, clamp);
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(results[2 * lane], 100u + (inRange(lane) ? source(lane) : lane)) << mode << ", lane " << lane;
    EXPECT_EQ(results[2 * lane + 1], inRange(lane)) << mode << ", lane " << lane;
  }
}

TEST(Shuffle, ReadsAnotherLaneOfTheWarp) {
  auto always = [](int) { return true; };
  expectShuffle("bfly", 5, 31, [](int lane) { return lane ^ 5; }, always);
  expectShuffle("idx", 7, 31, [](int) { return 7; }, always);
  expectShuffle("down", 3, 31, [](int lane) { return lane + 3; }, [](int lane) { return lane < 29; });
  expectShuffle("up", 3, 0, [](int lane) { return lane - 3; }, [](int lane) { return lane >= 3; });
}

TEST(Shuffle, StaysInTheSegment) {
  uint32_t segmentsOf8 = (32 - 8) << 8;
  auto always = [](int) { return true; };
  expectShuffle("bfly", 3, segmentsOf8 | 31, [](int lane) { return lane ^ 3; }, always);
  expectShuffle("bfly", 8, segmentsOf8 | 31, [](int lane) { return lane ^ 8; }, [](int lane) { return lane & 8; });
  expectShuffle("idx", 10, segmentsOf8 | 31, [](int lane) { return lane / 8 * 8 + 2; }, always);
  expectShuffle("down", 3, segmentsOf8 | 31, [](int lane) { return lane + 3; }, [](int lane) { return lane % 8 < 5; });
  expectShuffle("up", 3, segmentsOf8, [](int lane) { return lane - 3; }, [](int lane) { return lane % 8 >= 3; });
}

TEST(Shuffle, ClampsWithinTheSegment) {
  expectShuffle("down", 1, (32 - 8) << 8 | 5, [](int lane) { return lane + 1; }, [](int lane) { return lane % 8 < 5; });
  expectShuffle("idx", 6, (32 - 8) << 8 | 5, [](int) { return 0; }, [](int) { return false; });
  expectShuffle("up", 1, 4, [](int lane) { return lane - 1; }, [](int lane) { return lane >= 5; });
}

TEST(Shuffle, TakesTheLowestBitsOfItsOperand) {
  expectShuffle("idx", 32 + 9, 31, [](int) { return 9; }, [](int) { return true; });
}

TEST(Shuffle, HasNoPredicateWhereNoneIsAskedFor) {
  Slots results =
      executeWarp("shfl.sync.idx.b32", [](int lane) { return Slots{kAllLanes, slotOf(1.5f * lane), 4, 31}; }).results;
  EXPECT_EQ(results, Slots(kLanes, slotOf(6.0f)));
}

TEST(Shuffle, ReportsASourceThatTakesNoPart) {
  auto operands = [](int lane) { return Slots{lane < 16 ? 0xffffu : 0xffff0000u, 0, 16, 31}; };
  Outcome outcome = executeWarp("shfl.sync.bfly.b32", operands);
  ASSERT_EQ(outcome.reports.size(), 1u);
  EXPECT_EQ(outcome.reports[0].kind, Report::Mask);
  EXPECT_EQ(outcome.reports[0].message, "reads lane 16, which its mask does not name");
}

/// Executes a vote of all lanes, in which the predicate of lane i is bit i of `values`.
Slots vote(std::string name, uint32_t values) {
  return executeWarp(name, [&](int lane) { return Slots{kAllLanes, values >> lane & 1}; }).results;
}

TEST(Vote, IsOfAllLanes) {
  struct {
    uint32_t values;
    bool all, any, uni;
  } tests[] = {{0, false, false, true}, {kAllLanes, true, true, true}, {1u << 17, false, true, false}};
  for (auto [values, all, any, uni] : tests) {
    EXPECT_EQ(vote("vote.sync.all.pred", values), Slots(kLanes, all));
    EXPECT_EQ(vote("vote.sync.any.pred", values), Slots(kLanes, any));
    EXPECT_EQ(vote("vote.sync.uni.pred", values), Slots(kLanes, uni));
    EXPECT_EQ(vote("vote.sync.ballot.b32", values), Slots(kLanes, values));
  }
}

TEST(Vote, IsOfThoseThatTakePart) {
  auto operands = [](int lane) { return Slots{lane % 2 ? 0xaaaaaaaau : 0x55555555u, lane % 2 == 0}; };
  Slots results = executeWarp("vote.sync.ballot.b32", operands).results;
  EXPECT_EQ(results[0], 0x55555555u);
  EXPECT_EQ(results[1], 0u);
  EXPECT_EQ(executeWarp("vote.sync.all.pred", operands).results[2], 1u);
}

TEST(Match, AnyFindsLanesWithTheSameValue) {
  auto operands = [](int lane) { return Slots{kAllLanes, 0xabcd00000000u * (lane % 2) + lane / 8}; };
  Slots words = executeWarp("match.any.sync.b32", operands).results;
  Slots doubleWords = executeWarp("match.any.sync.b64", operands).results;
  EXPECT_EQ(words[9], 0xff00u);
  EXPECT_EQ(doubleWords[9], 0xaa00u);
  EXPECT_EQ(doubleWords[30], 0x55000000u);
}

TEST(Match, AllComparesAllLanes) {
  auto match = [](const char *name, uint64_t odd) {
    return executeWarp(name, [=](int lane) { return Slots{kAllLanes, lane == 5 ? odd : 7}; }, 2).results;
  };
  EXPECT_EQ(match("match.all.sync.b32", 7)[0], kAllLanes);
  EXPECT_EQ(match("match.all.sync.b32", 7)[1], 1u);
  EXPECT_EQ(match("match.all.sync.b32", 8)[0], 0u);
  EXPECT_EQ(match("match.all.sync.b32", 8)[11], 0u);
  EXPECT_EQ(match("match.all.sync.b32", 7 + (uint64_t(1) << 40))[1], 1u);
  EXPECT_EQ(match("match.all.sync.b64", 7 + (uint64_t(1) << 40))[1], 0u);
}

uint64_t reduce(std::string name, const std::function<uint32_t(int)> &value) {
  Slots results = executeWarp("redux.sync." + name, [&](int lane) { return Slots{value(lane), kAllLanes}; }).results;
  EXPECT_EQ(results, Slots(kLanes, results[0]));
  return results[0];
}

TEST(Reduction, CombinesAllLanes) {
  auto around = [](int lane) { return static_cast<uint32_t>(lane - 16); };
  EXPECT_EQ(reduce("add.u32", around), static_cast<uint32_t>(-16));
  EXPECT_EQ(reduce("min.s32", around), static_cast<uint32_t>(-16));
  EXPECT_EQ(reduce("max.s32", around), 15u);
  EXPECT_EQ(reduce("min.u32", around), 0u);
  EXPECT_EQ(reduce("max.u32", around), 0xffffffffu);
  EXPECT_EQ(reduce("and.b32", [](int lane) { return 0xf0u | lane % 2; }), 0xf0u);
  EXPECT_EQ(reduce("or.b32", [](int lane) { return 1u << lane; }), kAllLanes);
  EXPECT_EQ(reduce("xor.b32", [](int lane) { return lane == 3 ? 0x10u : 0x1u; }), 0x11u);
}

TEST(Reduction, IsOfThoseThatTakePart) {
  auto operands = [](int lane) { return Slots{1, lane < 5 ? 0x1fu : ~0x1fu}; };
  Slots results = executeWarp("redux.sync.add.u32", operands).results;
  EXPECT_EQ(results[4], 5u);
  EXPECT_EQ(results[5], 27u);
}

TEST(Elect, ChoosesOneOfTheMask) {
  auto operands = [](int lane) { return Slots{lane < 4 ? 0xfu : ~0xfu}; };
  Slots results = executeWarp("elect.sync", operands, 2).results;
  for (int lane = 0; lane < kLanes; ++lane) {
    int leader = lane < 4 ? 0 : 4;
    EXPECT_EQ(results[2 * lane], static_cast<uint64_t>(leader));
    EXPECT_EQ(results[2 * lane + 1], lane == leader);
  }
}

TEST(ActiveMask, HasTheLanesThatHaveNotEnded) {
  Slots results = executeWarp("activemask.b32", [](int) { return Slots(); }).results;
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(results[lane] >> lane & 1, 1u);
  }
}

} // namespace
} // namespace tilewright::emulator
