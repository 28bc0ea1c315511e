// Which lanes of a wave execute an instruction together, and what barriers and fences of AMD's GPUs order.

#include "ThreadCode.h"

#include "tilewright/Emulator/AccessKind.h"

namespace tilewright::emulator {
namespace {

/// Executes a collective instruction without operands of its own, or with one.
uint64_t performAt(Thread &thread, const char *name, uint64_t place, uint64_t operand, int line = 1) {
  uint64_t in[] = {place, operand}, out[1] = {};
  perform(thread, name, line, in, out);
  return out[0];
}

std::vector<Report> runWaves(int threads, const ThreadBody &body, const Settings &settings = {},
                             int64_t sharedBytes = 0) {
  return runThreads(threads, sharedBytes, settings, body, /*lanes=*/64);
}

TEST(ActiveLanes, AreThoseThatABranchTook) {
  Slots few(64), rest(64), all(64);
  runWaves(64, [&](Thread &thread) {
    if (thread.lane() < 20) {
      few[thread.lane()] = performAt(thread, "ballot", 10, 1);
    } else {
      rest[thread.lane()] = performAt(thread, "ballot", 20, 1);
    }
    all[thread.lane()] = performAt(thread, "ballot", 30, 1);
  });
  for (int lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(few[lane], lane < 20 ? firstLanes(20) : 0);
    EXPECT_EQ(rest[lane], lane < 20 ? 0 : ~firstLanes(20));
    EXPECT_EQ(all[lane], ~uint64_t(0));
  }
}

TEST(ActiveLanes, OfALoopAreThoseStillInIt) {
  Slots sums(64);
  std::vector<Report> reports = runWaves(64, [&](Thread &thread) {
    for (uint32_t step = 0; step <= thread.lane() % 4; ++step) {
      sums[thread.lane()] += __builtin_popcountll(performAt(thread, "ballot", 10, 1));
    }
    EXPECT_EQ(performAt(thread, "ballot", 20, 1), ~uint64_t(0)); // all meet again behind the loop
  });
  EXPECT_TRUE(reports.empty());
  // 64, 48, 32 and 16 lanes are in steps 0 to 3.
  EXPECT_EQ(sums[0], 64u);
  EXPECT_EQ(sums[1], 112u);
  EXPECT_EQ(sums[3], 160u);
}

TEST(ActiveLanes, DoNotIncludeThoseThatHaveEnded) {
  runWaves(64, [&](Thread &thread) {
    if (thread.lane() >= 8) {
      EXPECT_EQ(performAt(thread, "v_readfirstlane_b32", 10, 100 + thread.lane()), 108u);
    }
  });
}

TEST(ActiveLanes, OfTheLastWaveAreThoseThatExist) {
  runWaves(96, [&](Thread &thread) {
    uint64_t expected = thread.index < 64 ? ~uint64_t(0) : firstLanes(32);
    EXPECT_EQ(performAt(thread, "ballot", 10, 1), expected);
  });
}

TEST(ActiveLanes, AreKnownInAnyOrderOfThreads) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    Settings settings;
    settings.seed = seed;
    runWaves(
        128,
        [&](Thread &thread) {
          if (thread.lane() % 2) {
            EXPECT_EQ(performAt(thread, "ballot", 10, 1), 0xaaaaaaaaaaaaaaaa);
          }
          EXPECT_EQ(performAt(thread, "ballot", 20, 1), ~uint64_t(0));
        },
        settings);
  }
}

TEST(ActiveLanes, ReadingAnotherOneIsReported) {
  std::vector<Report> reports = runWaves(64, [&](Thread &thread) {
    if (thread.lane() < 32) {
      uint64_t in[] = {10, 4 * (thread.lane() + 32), 5}, out[1] = {99};
      perform(thread, "ds_bpermute_b32", 3, in, out);
      EXPECT_EQ(out[0], 0u); // as documented
    }
  });
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports[0].kind, Report::Mask);
  EXPECT_EQ(reports[0].message, "reads lane 32, which does not execute the instruction");
}

/// Thread 0 writes, and thread 100, which is of another wave, reads behind a barrier. The fences order sets of memory
/// spaces.
std::vector<Report> passOn(uint8_t releases, uint8_t acquires, bool acquiresLater = false) {
  Settings settings;
  settings.checkRaces = true;
  return runWaves(
      128,
      [&](Thread &thread) {
        auto access = [&](AccessKind kind, int line) {
          uint64_t in[] = {reinterpret_cast<uint64_t>(thread.shared), 4, 4, static_cast<uint64_t>(kind),
                           static_cast<uint64_t>(MemorySpace::Shared)};
          perform(thread, "emulator.access", line, in);
        };
        if (thread.index == 0) {
          access(AccessKind::Write, 10);
        }
        uint64_t fences[] = {releases, acquires};
        perform(thread, "s_barrier", 20, fences);
        if (acquiresLater) {
          auto acquire = static_cast<uint64_t>(AtomicOrder::Acquire);
          perform(thread, "fence syncscope", 25, &acquire);
        }
        if (thread.index == 100) {
          access(AccessKind::Read, 30);
        }
      },
      settings, 64);
}

TEST(BarriersOfWaves, OrderWithFencesOnly) {
  constexpr uint8_t kShared = bitOf(MemorySpace::Shared), kGlobal = bitOf(MemorySpace::Global);
  EXPECT_TRUE(passOn(kAllSpaces, kAllSpaces).empty());
  EXPECT_TRUE(passOn(kShared, kShared).empty());
  EXPECT_TRUE(passOn(kShared, kAllSpaces).empty());
  for (auto [releases, acquires] : {std::pair<uint8_t, uint8_t>(0, kAllSpaces),
                                    {kAllSpaces, 0},
                                    {0, 0},
                                    {kGlobal, kAllSpaces},
                                    {kAllSpaces, kGlobal},
                                    {kGlobal, kShared}}) {
    std::vector<Report> reports = passOn(releases, acquires);
    ASSERT_EQ(reports.size(), 1u) << int(releases) << int(acquires);
    EXPECT_EQ(reports[0].kind, Report::Race);
    EXPECT_EQ(reports[0].site, 30);
    EXPECT_EQ(reports[0].otherSite, 10);
  }
}

TEST(BarriersOfWaves, MayHaveTheFenceLater) { EXPECT_TRUE(passOn(kAllSpaces, 0, /*acquiresLater=*/true).empty()); }

TEST(BarriersOfWaves, MustNotBeReachedAtDifferentPlaces) {
  std::vector<Report> reports = runWaves(64, [&](Thread &thread) {
    uint64_t fences[] = {kAllSpaces, kAllSpaces};
    perform(thread, "s_barrier", thread.lane() < 32 ? 10 : 20, fences);
  });
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports[0].kind, Report::Deadlock);
}

TEST(BarriersOfWaves, WaitForLanesInABranch) {
  // Half of the lanes wait at the barrier while the others vote, after which they reach it, too.
  std::vector<Report> reports = runWaves(64, [&](Thread &thread) {
    if (thread.lane() < 32) {
      EXPECT_EQ(performAt(thread, "ballot", 10, 1), firstLanes(32));
    }
    uint64_t fences[] = {kAllSpaces, kAllSpaces};
    perform(thread, "s_barrier", 20, fences);
  });
  EXPECT_TRUE(reports.empty());
}

TEST(FencesOfWaves, OrderTheLanesOfAWave) {
  Settings settings;
  settings.checkRaces = true;
  for (bool isFenced : {true, false}) {
    std::vector<Report> reports = runWaves(
        64,
        [&](Thread &thread) {
          auto access = [&](uint32_t word, AccessKind kind) {
            uint64_t in[] = {reinterpret_cast<uint64_t>(thread.shared) + 4 * word, 4, 4, static_cast<uint64_t>(kind),
                             static_cast<uint64_t>(MemorySpace::Shared)};
            perform(thread, "emulator.access", 5, in);
          };
          access(thread.lane(), AccessKind::Write);
          if (isFenced) {
            performAt(thread, "fence syncscope(\"wavefront\")", 10, 0);
          }
          access(63 - thread.lane(), AccessKind::Read);
        },
        settings, 256);
    EXPECT_EQ(reports.empty(), isFenced);
  }
}

} // namespace
} // namespace tilewright::emulator
