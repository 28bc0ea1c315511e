// Atomics that release or acquire, and the accesses of the other threads of their program.

#include "CheckerFixture.h"

using namespace tilewright::emulator;

namespace {

struct ProgramOrderTest : CheckerTest {
  ProgramOrderTest() : CheckerTest(everything(), /*threads=*/2) {}
};

constexpr AtomicOrder kAcquire = AtomicOrder::Acquire, kRelease = AtomicOrder::Release,
                      kBoth = AtomicOrder::AcquireRelease;

} // namespace

TEST_F(ProgramOrderTest, BarriersAroundAnAtomic) {
  write(1, 1, kX);
  read(0, 1, kX + 8);
  barrier();
  atomic(2, 0, kBoth, {0, 1});
  barrier();
  read(1, 3, kX);
  write(0, 3, kX + 8);
  expectNothing();
}

TEST_F(ProgramOrderTest, AReleaseComesAfterTheAccessesOfAllThreads) {
  write(1, 1, kX);
  atomic(2, 0, kRelease, {0, 1});
  EXPECT_EQ(message(Report::Race), "orders memory that thread 1 wrote at kernel.py:1, with no barrier between them");
}

TEST_F(ProgramOrderTest, WhicheverThreadIsFirst) {
  atomic(2, 0, kRelease, {0});
  write(1, 1, kX);
  atomic(2, 0, kRelease, {1});
  EXPECT_EQ(message(Report::Race), "writes 4 bytes at x+0, which the atomic of thread 0 at kernel.py:2 orders, with no "
                                   "barrier between them");
  write(1, 3, kX + 8);
  atomic(4, 0, kRelease, {1, 0});
  messages({Report::Race});
}

TEST_F(ProgramOrderTest, AReleaseDoesNotOrderWhatComesAfterIt) {
  atomic(2, 0, kRelease, {1, 0});
  write(1, 3, kX);
  write(0, 3, kX + 8);
  expectNothing();
}

TEST_F(ProgramOrderTest, AnAcquireComesBeforeTheAccessesOfAllThreads) {
  write(1, 1, kX);
  atomic(2, 0, kAcquire, {0, 1});
  expectNothing();
  read(1, 3, kX);
  EXPECT_EQ(message(Report::Race), "reads 4 bytes at x+0, which the atomic of thread 0 at kernel.py:2 orders, with no "
                                   "barrier between them");
}

TEST_F(ProgramOrderTest, AnAcquireThatComesTooLate) {
  atomic(2, 0, kAcquire, {1});
  read(1, 3, kX);
  atomic(2, 0, kAcquire, {0});
  EXPECT_EQ(message(Report::Race), "orders memory that thread 1 read at kernel.py:3, with no barrier between them");
}

TEST_F(ProgramOrderTest, ALoopOfOneThread) {
  atomic(1, 0, kAcquire, {0});
  atomic(1, 0, kAcquire, {0});
  barrier();
  atomic(2, 1, kBoth, {1});
  atomic(2, 0, kBoth, {0});
  barrier();
  write(1, 3, kX);
  barrier();
  atomic(4, 0, kBoth, {0, 1});
  expectNothing();
}

TEST_F(ProgramOrderTest, AMissingBarrierAfterALoopOfOneThread) {
  atomic(1, 0, kAcquire, {0});
  atomic(1, 0, kAcquire, {0});
  barrier();
  write(1, 3, kX);
  atomic(4, 0, kRelease, {0, 1});
  EXPECT_EQ(message(Report::Race), "orders memory that thread 1 wrote at kernel.py:3, with no barrier between them");
}

TEST_F(ProgramOrderTest, AThreadKeepsItsOwnOrder) {
  write(0, 1, kX);
  atomic(2, 0, kBoth, {0, 1});
  read(0, 3, kX);
  atomic(4, 0, kBoth, {1, 0});
  expectNothing();
}

TEST_F(ProgramOrderTest, ProgramsStartWithoutHistory) {
  atomic(2, 0, kBoth, {0});
  checker->begin(*block);
  write(1, 1, kX);
  barrier();
  atomic(2, 0, kBoth, {1, 0});
  expectNothing();
}

TEST_F(ProgramOrderTest, MemoryThatIsNotWrittenNeedsNoOrder) {
  read(1, 1, kX);
  atomic(2, 0, kRelease, {0, 1});
  messages({Report::Race});
  launch.settle();
  EXPECT_TRUE(launch.reports.empty());
}

TEST_F(ProgramOrderTest, UnlessItIsWrittenLater) {
  read(1, 1, kX);
  atomic(2, 0, kRelease, {0, 1});
  messages({Report::Race});
  barrier();
  write(0, 5, kX + 32);
  launch.settle();
  EXPECT_EQ(launch.reports.size(), 1u);
}
