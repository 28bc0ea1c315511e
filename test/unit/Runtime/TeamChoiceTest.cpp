#include "tilewright/Runtime/Host/TeamChoice.h"

#include "gtest/gtest.h"

using namespace tilewright::runtime;
using namespace std::chrono_literals;

/// Whether the team is chosen after a number of launches whose workers were starved, and not one launch sooner.
static void expectTeamAfter(TeamChoice &choice, int launches) {
  for (int i = 0; i < launches; ++i) {
    EXPECT_FALSE(choice.usesTeam()) << i;
    choice.learnWorkers(5ms, false);
  }
  EXPECT_TRUE(choice.usesTeam());
}

TEST(TeamChoice, WorkersThatComeAreKept) {
  TeamChoice choice;
  choice.learnWorkers(5ms, true);
  choice.learnWorkers(20us, false); // too short to tell
  EXPECT_FALSE(choice.usesTeam());
  expectTeamAfter(choice, 1);
}

TEST(TeamChoice, ASlowTeamIsLeftForTwiceAsLongEachTime) {
  TeamChoice choice;
  expectTeamAfter(choice, 1);
  for (int pause : {16, 32, 64, 128}) {
    choice.learnTeam(1ms, 12ms);
    expectTeamAfter(choice, pause + 1);
  }
}

TEST(TeamChoice, WaitsOfLongProgramsAreNotTheTeamsFault) {
  TeamChoice choice;
  expectTeamAfter(choice, 1);
  choice.learnTeam(100ms, 12ms);
  choice.learnTeam(10us, 900us);
  EXPECT_TRUE(choice.usesTeam());
}
