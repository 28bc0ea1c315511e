// Copies that complete phases of barriers: which threads are ordered after them.

#include "Checks/Races.h"

#include "gtest/gtest.h"

using namespace tilewright::emulator;

namespace {

constexpr uint32_t kThreads = 4;
constexpr uint64_t kBarrier = 3, kKey = uint64_t(1) << 63 | 5;

class LandedCopies : public testing::Test {
protected:
  LandedCopies() : races(settings(), kThreads, 256) { races.begin(); }

  static const Settings &settings() {
    static const Settings all = [] {
      Settings settings;
      settings.checkCopies = settings.checkInitialized = settings.checkRaces = true;
      return settings;
    }();
    return all;
  }

  Finding copy(uint32_t thread, int32_t site) { return races.copyByProxy(thread, site, 0, 128); }
  Finding read(uint32_t thread) { return races.touch(thread, AccessKind::Read, 9, MemorySpace::Shared, 32, 16); }
  Finding write(uint32_t thread) { return races.touch(thread, AccessKind::Write, 8, MemorySpace::Shared, 32, 16); }
  void land() {
    races.land(kBarrier, 0, 1, 0, 128);
    races.releaseLanded(kBarrier, kKey);
  }
  void synchronize(std::vector<uint32_t> threads) { races.synchronize(threads); }
  void synchronizeAll() { synchronize({0, 1, 2, 3}); }

  Races races;
};

TEST_F(LandedCopies, AreInFlightBefore) {
  EXPECT_FALSE(copy(0, 1).isWrong);
  synchronizeAll(); // orders the issue of the copy, not its bytes
  Finding finding = read(0);
  EXPECT_TRUE(finding.isWrong);
  EXPECT_EQ(finding.kind, Report::Copy);
}

TEST_F(LandedCopies, OrderThoseWhoAcquire) {
  copy(0, 1);
  land();
  races.acquire(1, kKey);
  EXPECT_FALSE(read(1).isWrong);
  Finding finding = read(0); // the thread that issued the copy has not waited for it
  EXPECT_TRUE(finding.isWrong);
  EXPECT_EQ(finding.kind, Report::Race);
  EXPECT_TRUE(races.isAgent(finding.other));
  EXPECT_EQ(races.issuerOf(finding.other), 0u);
}

TEST_F(LandedCopies, OrderThoseWhoAreOrderedAfterSuchAThread) {
  copy(0, 1);
  land();
  races.acquire(1, kKey);
  synchronize({1, 2});
  EXPECT_FALSE(read(2).isWrong);
  EXPECT_TRUE(read(3).isWrong);
  copy(0, 1);
  land();
  races.acquire(1, kKey);
  synchronizeAll();
  EXPECT_FALSE(read(3).isWrong);
}

TEST_F(LandedCopies, OfABarrierBeforeAreNotThoseAfterIt) {
  copy(0, 1);
  synchronizeAll();
  land(); // the first wait comes after the barrier
  races.acquire(1, kKey);
  EXPECT_FALSE(read(1).isWrong);
  EXPECT_TRUE(read(2).isWrong);
}

TEST_F(LandedCopies, OfOtherBarriersAreNotOrdered) {
  copy(0, 1);
  land();
  races.copyByProxy(0, 2, 128, 64);
  races.land(kBarrier + 1, 0, 2, 128, 64);
  races.releaseLanded(kBarrier + 1, kKey + 1);
  races.acquire(1, kKey + 1);
  EXPECT_FALSE(races.touch(1, AccessKind::Read, 7, MemorySpace::Shared, 128, 16).isWrong);
  EXPECT_TRUE(read(1).isWrong);
}

TEST_F(LandedCopies, NeedAProxyFenceAfterWrites) {
  write(0);
  EXPECT_EQ(copy(0, 1).kind, Report::Proxy);
  races.begin();
  write(1);
  races.fenceProxy(1);
  synchronizeAll();
  EXPECT_FALSE(copy(0, 1).isWrong);
  races.begin();
  write(1);
  synchronizeAll();
  races.fenceProxy(0);
  EXPECT_FALSE(copy(0, 1).isWrong);
  land();
  races.acquire(0, kKey);
  EXPECT_FALSE(copy(0, 1).isWrong); // after a copy, none is needed
}

/// Global memory's cells are reused after a barrier of all threads.
TEST_F(LandedCopies, InFlightDoNotStayWithReusedCells) {
  races.touch(0, AccessKind::Copy, 1, MemorySpace::Global, 0x10000, 16);
  synchronizeAll();
  EXPECT_FALSE(races.touch(1, AccessKind::Write, 2, MemorySpace::Global, 0x50000, 16).isWrong);
}

} // namespace
