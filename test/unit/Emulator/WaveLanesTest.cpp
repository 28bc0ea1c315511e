// Moves between the lanes of a wave, of 32 and 64 lanes. The expected lanes are written as the documents describe them,
// by rows and places.

#include "Waves.h"

#include <random>

namespace tilewright::emulator {
namespace {

constexpr uint64_t kMissing = 0xdead; ///< the old value of every lane
constexpr uint64_t valueOf(int lane) { return 1000 + lane; }

class Waves : public testing::TestWithParam<int> {
protected:
  const int lanes = GetParam();

  /// `from` is the lane that each lane reads; -1: the old value.
  Slots valuesOf(const std::function<int(int lane)> &from) const {
    Slots values;
    for (int lane = 0; lane < lanes; ++lane) {
      values.push_back(from(lane) < 0 ? kMissing : valueOf(from(lane)));
    }
    return values;
  }

  Slots dpp(uint64_t control, uint64_t rows = 15, uint64_t banks = 15, bool zero = false) const {
    return executeWave("v_mov_b32_dpp", lanes,
                       [&](int lane) { return Slots{kMissing, valueOf(lane), control, rows, banks, zero}; })
        .results;
  }
};

INSTANTIATE_TEST_SUITE_P(, Waves, testing::Values(32, 64));

TEST_P(Waves, ReadOneLane) {
  auto value = [](int lane) { return Slots{valueOf(lane)}; };
  EXPECT_EQ(executeWave("v_readfirstlane_b32", lanes, value).results, Slots(lanes, valueOf(0)));
  for (int from : {0, 5, lanes - 1, lanes + 3}) { // numbers wrap
    auto operands = [&](int lane) { return Slots{valueOf(lane), uint64_t(from)}; };
    EXPECT_EQ(executeWave("v_readlane_b32", lanes, operands).results, Slots(lanes, valueOf(from % lanes)));
  }
}

TEST_P(Waves, KeepValuesOf64Bits) {
  auto value = [](int lane) { return Slots{0x1234567800000000u + lane}; };
  EXPECT_EQ(executeWave("v_readfirstlane_b32", lanes, value).results, Slots(lanes, 0x1234567800000000));
}

TEST_P(Waves, WriteOneLane) {
  auto operands = [&](int lane) { return Slots{77, 9, valueOf(lane)}; };
  Slots expected = valuesOf([](int lane) { return lane; });
  expected[9] = 77;
  EXPECT_EQ(executeWave("v_writelane_b32", lanes, operands).results, expected);
}

TEST_P(Waves, Vote) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    uint64_t bits = random() & firstLanes(lanes);
    auto operands = [&](int lane) { return Slots{bits >> lane & 1}; };
    EXPECT_EQ(executeWave("ballot", lanes, operands).results, Slots(lanes, bits));
  }
}

TEST_P(Waves, CountTheLanesBelow) {
  std::mt19937_64 random(2);
  uint64_t mask = random();
  Slots low = executeWave("v_mbcnt_lo_u32_b32", lanes, [&](int) { return Slots{mask & kAllLanes, 5}; }).results;
  Slots all = executeWave("v_mbcnt_hi_u32_b32", lanes, [&](int lane) { return Slots{mask >> 32, low[lane]}; }).results;
  uint64_t count = 5;
  for (int lane = 0; lane < lanes; ++lane) {
    EXPECT_EQ(all[lane], count) << lane;
    count += mask >> lane & 1;
  }
}

TEST_P(Waves, PermuteBackward) {
  std::mt19937 random(3);
  std::vector<uint32_t> addresses;
  for (int lane = 0; lane < lanes; ++lane) {
    addresses.push_back(random()); // any address: it counts bytes, and wraps
  }
  auto operands = [&](int lane) { return Slots{addresses[lane], valueOf(lane)}; };
  EXPECT_EQ(executeWave("ds_bpermute_b32", lanes, operands).results,
            valuesOf([&](int lane) { return static_cast<int>(addresses[lane] / 4 % lanes); }));
}

TEST_P(Waves, PermuteForward) {
  // Each lane writes to the next even lane, so that the second of two wins and odd lanes get nothing.
  auto operands = [&](int lane) { return Slots{uint64_t(4 * (lane & ~1)), valueOf(lane)}; };
  Slots results = executeWave("ds_permute_b32", lanes, operands).results;
  for (int lane = 0; lane < lanes; ++lane) {
    EXPECT_EQ(results[lane], lane % 2 ? 0 : valueOf(lane + 1)) << lane;
  }
}

TEST_P(Waves, SwizzleByMasks) {
  auto swizzle = [&](uint64_t offset) {
    return executeWave("ds_swizzle_b32", lanes, [&](int lane) { return Slots{valueOf(lane), offset}; }).results;
  };
  for (int change : {1, 4, 16, 31}) {
    EXPECT_EQ(swizzle(change << 10 | 31), valuesOf([&](int lane) { return lane ^ change; }));
  }
  // The first lane of each 8, and the last one.
  EXPECT_EQ(swizzle(0x18), valuesOf([](int lane) { return lane & ~7; }));
  EXPECT_EQ(swizzle(7 << 5 | 31), valuesOf([](int lane) { return lane | 7; }));
  // 0x8000 and the lanes 3 2 1 0 of each four.
  EXPECT_EQ(swizzle(0x801b), valuesOf([](int lane) { return lane ^ 3; }));
}

TEST_P(Waves, SwizzleWithAnotherPatternIsAnError) {
  Outcome outcome = executeWave("ds_swizzle_b32", lanes, [](int lane) { return Slots{valueOf(lane), 0xe000}; });
  ASSERT_FALSE(outcome.reports.empty());
  EXPECT_EQ(outcome.reports[0].kind, Report::Fault);
}

TEST_P(Waves, MoveWithinFourLanes) {
  std::mt19937 random(4);
  for (int round = 0; round < 20; ++round) {
    uint64_t control = random() % 256;
    EXPECT_EQ(dpp(control), valuesOf([&](int lane) { return lane / 4 * 4 + int(control >> (2 * (lane % 4)) & 3); }));
  }
}

TEST_P(Waves, MoveWithinRows) {
  auto row = [](int lane) { return lane / 16 * 16; };
  for (int n = 1; n < 16; ++n) {
    EXPECT_EQ(dpp(0x100 | n), valuesOf([&](int lane) { return lane % 16 + n < 16 ? lane + n : -1; }));
    EXPECT_EQ(dpp(0x110 | n), valuesOf([&](int lane) { return lane % 16 >= n ? lane - n : -1; }));
    EXPECT_EQ(dpp(0x120 | n), valuesOf([&](int lane) { return row(lane) + (lane + 16 - n) % 16; }));
    EXPECT_EQ(dpp(0x150 | n), valuesOf([&](int lane) { return row(lane) + n; }));
    EXPECT_EQ(dpp(0x160 | n), valuesOf([&](int lane) { return lane ^ n; }));
  }
  EXPECT_EQ(dpp(0x140), valuesOf([&](int lane) { return row(lane) + 15 - lane % 16; }));
  EXPECT_EQ(dpp(0x141), valuesOf([&](int lane) { return lane / 8 * 8 + 7 - lane % 8; }));
}

TEST_P(Waves, MoveAcrossRows) {
  EXPECT_EQ(dpp(0x138), valuesOf([](int lane) { return lane - 1; }));
  EXPECT_EQ(dpp(0x13c), valuesOf([&](int lane) { return lane ? lane - 1 : lanes - 1; }));
  EXPECT_EQ(dpp(0x130), valuesOf([&](int lane) { return lane + 1 < lanes ? lane + 1 : -1; }));
  EXPECT_EQ(dpp(0x134), valuesOf([&](int lane) { return lane + 1 < lanes ? lane + 1 : 0; }));
  EXPECT_EQ(dpp(0x142), valuesOf([](int lane) { return lane < 16 ? -1 : lane / 16 * 16 - 1; }));
  EXPECT_EQ(dpp(0x143), valuesOf([](int lane) { return lane < 32 ? -1 : 31; }));
}

TEST_P(Waves, WriteOnlyTheNamedRowsAndBanks) {
  EXPECT_EQ(dpp(0x140, /*rows=*/2), valuesOf([](int lane) { return lane / 16 == 1 ? 31 - lane % 16 : -1; }));
  EXPECT_EQ(dpp(0xe4, 15, /*banks=*/4), valuesOf([](int lane) { return lane % 16 / 4 == 2 ? lane : -1; }));
}

TEST_P(Waves, ReplaceWhatIsMissingByZeroOnDemand) {
  Slots results = dpp(0x111, 15, 15, /*zero=*/true);
  EXPECT_EQ(results[0], 0u);
  EXPECT_EQ(results[1], valueOf(0));
  // Lanes that are not written keep their value all the same.
  EXPECT_EQ(dpp(0x111, /*rows=*/2, 15, true)[0], kMissing);
}

TEST_P(Waves, AnUnknownControlIsAnError) {
  auto operands = [](int lane) { return Slots{kMissing, valueOf(lane), 0x1ff, 15, 15, 0}; };
  ASSERT_FALSE(executeWave("v_mov_b32_dpp", lanes, operands).reports.empty());
}

TEST_P(Waves, PermuteRows) {
  std::mt19937_64 random(5);
  uint64_t places = random();
  auto operands = [&](int lane) { return Slots{kMissing, valueOf(lane), places & kAllLanes, places >> 32, 0, 0}; };
  auto place = [&](int lane) { return static_cast<int>(places >> (4 * (lane % 16)) & 15); };
  EXPECT_EQ(executeWave("v_permlane16_b32", lanes, operands).results,
            valuesOf([&](int lane) { return lane / 16 * 16 + place(lane); }));
  EXPECT_EQ(executeWave("v_permlanex16_b32", lanes, operands).results,
            valuesOf([&](int lane) { return (lane / 16 ^ 1) * 16 + place(lane); }));
}

TEST(SwappedGroups, AreTheOddOnesOfOneAndTheEvenOnesOfTheOther) {
  for (int group : {16, 32}) {
    std::string name = "v_permlane" + std::to_string(group) + "_swap_b32";
    Slots results =
        executeWave(name, 64, [](int lane) { return Slots{uint64_t(100 + lane), uint64_t(200 + lane)}; }, 2).results;
    for (int lane = 0; lane < 64; ++lane) {
      bool isOdd = lane / group % 2;
      EXPECT_EQ(results[2 * lane], isOdd ? 200u + lane - group : 100u + lane) << lane;
      EXPECT_EQ(results[2 * lane + 1], isOdd ? 200u + lane : 100u + lane + group) << lane;
    }
  }
}

} // namespace
} // namespace tilewright::emulator
