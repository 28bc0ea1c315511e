// Errors in accesses that are in bounds: reads of uninitialized memory, races, and asynchronous copies without a wait.

#include "CheckerFixture.h"

using namespace tilewright::emulator;

namespace {

struct RaceTest : CheckerTest {};
struct CopyTest : CheckerTest {};
struct UninitializedTest : CheckerTest {};
struct NothingTest : CheckerTest {
  NothingTest() : CheckerTest(Settings()) {}
};
struct CopiesOnlyTest : CheckerTest {
  static Settings copies() {
    Settings settings;
    settings.checkCopies = true;
    return settings;
  }
  CopiesOnlyTest() : CheckerTest(copies()) {}
};
struct RacesOnlyTest : CheckerTest {
  static Settings races() {
    Settings settings;
    settings.checkRaces = true;
    return settings;
  }
  RacesOnlyTest() : CheckerTest(races()) {}
};
struct OneWarpTest : CheckerTest {
  OneWarpTest() : CheckerTest(everything(), 32) {}
};

} // namespace

//===----------------------------------------------------------------------===//
// Uninitialized memory
//===----------------------------------------------------------------------===//

TEST_F(UninitializedTest, ReadBeforeAnybodyWrote) {
  write(0, 1, shared(0));
  read(0, 2, shared(0), 8);
  EXPECT_EQ(message(Report::Uninitialized), "reads 8 bytes at shared+0, not all of which were written before");
  update(0, 3, shared(16));
  messages({Report::Uninitialized});
}

TEST_F(UninitializedTest, NextBlockStartsUninitialized) {
  write(0, 1, shared(0));
  read(0, 2, shared(0));
  expectNothing();
  checker->begin(*block);
  read(0, 3, shared(0));
  messages({Report::Uninitialized});
}

TEST_F(UninitializedTest, WrittenByAByteEach) {
  for (int i = 0; i < 32; ++i) {
    write(i, 1, shared(i), 1);
  }
  barrier();
  read(5, 2, shared(0), 16);
  read(5, 2, shared(16), 16);
  expectNothing();
}

TEST_F(UninitializedTest, GlobalMemoryIsInitialized) {
  read(0, 1, kX);
  expectNothing();
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

TEST_F(RaceTest, BothPartiesAreNamed) {
  write(17, 1, shared(64));
  barrier();
  read(17, 2, shared(64));
  write(40, 3, shared(64));
  EXPECT_EQ(message(Report::Race),
            "writes 4 bytes at shared+64 that thread 17 read at kernel.py:2, with no barrier between them");
  const Report &report = launch.reports.back();
  EXPECT_EQ(report.thread, 40);
  EXPECT_EQ(report.site, 3);
  EXPECT_EQ(report.otherThread, 17);
  EXPECT_EQ(report.otherSite, 2);
}

TEST_F(RaceTest, OneFaultIsOneReport) {
  write(0, 1, shared(0), 16);
  read(1, 2, shared(0), 16);
  message(Report::Race);
  read(2, 3, shared(0), 16);
  read(3, 3, shared(4));
  expectNothing();
}

TEST_F(RaceTest, OfWrites) {
  write(0, 1, kX);
  write(1, 2, kX);
  EXPECT_EQ(message(Report::Race),
            "writes 4 bytes at x+0 that thread 0 wrote at kernel.py:1, with no barrier between them");
}

TEST_F(RaceTest, AdjacentBytesDoNotRace) {
  for (int i = 0; i < 64; ++i) {
    write(i, 1, kX + i, 1);
  }
  expectNothing();
}

TEST_F(RaceTest, BarrierOrders) {
  for (int round = 0; round < 3; ++round) {
    write(0, 1, shared(0));
    write(0, 1, kX);
    barrier();
    read(1, 2, shared(0));
    read(2, 2, shared(0));
    read(1, 2, kX);
    barrier();
  }
  expectNothing();
}

TEST_F(RaceTest, BarrierOfSomeOrdersThem) {
  write(0, 1, kX);
  barrier(0, 48);
  read(47, 2, kX);
  expectNothing();
  read(48, 3, kX);
  messages({Report::Race});
}

TEST_F(RaceTest, WarpBarrierOrdersItsLanes) {
  write(0, 1, kX);
  warpBarrier(0, 0xff);
  read(7, 2, kX);
  expectNothing();
  read(8, 3, kX);
  messages({Report::Race});
  write(33, 4, kY);
  warpBarrier(1);
  read(63, 5, kY);
  expectNothing();
}

TEST_F(RaceTest, OrderIsTransitive) {
  write(0, 1, kX);
  warpBarrier(0);
  barrier(31, 33);
  warpBarrier(1);
  write(63, 2, kX);
  expectNothing();
}

TEST_F(RaceTest, ReleaseAndAcquireOrder) {
  write(0, 1, kX);
  update(0, 2, kY);
  checker->release(block->threads[0], kY);
  update(1, 3, kY);
  checker->acquire(block->threads[1], kY);
  read(1, 4, kX);
  expectNothing();
  update(2, 3, kY);
  read(2, 4, kX);
  messages({Report::Race});
}

TEST_F(RaceTest, AtomicsRaceWithPlainAccessesOnly) {
  update(0, 1, kX);
  update(1, 1, kX);
  update(2, 1, kX);
  expectNothing();
  // Being ordered after the last atomic is not enough.
  checker->release(block->threads[2], kY);
  checker->acquire(block->threads[3], kY);
  read(3, 2, kX);
  EXPECT_EQ(message(Report::Race),
            "reads 4 bytes at x+0 that thread 0 updated at kernel.py:1, with no barrier between them");
}

TEST_F(RaceTest, AccessOfGlobalMemoryByAnotherBlockIsNone) {
  write(0, 1, kX);
  checker->begin(*block);
  write(1, 1, kX);
  expectNothing();
}

TEST_F(OneWarpTest, BarrierOfTheWarpIsOneOfTheBlock) {
  write(0, 1, kX);
  warpBarrier(0);
  write(31, 2, kX);
  expectNothing();
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

TEST_F(CopyTest, ReadAfterTheWaitAndABarrier) {
  AsyncCopy copy = copyOf(shared(16), kX, 1);
  EXPECT_TRUE(checker->issue(block->threads[3], copy));
  checker->arrive(block->threads[3], copy);
  read(3, 2, shared(16));
  barrier();
  read(9, 3, shared(24));
  expectNothing();
}

TEST_F(CopyTest, ReadBeforeTheWait) {
  checker->issue(block->threads[3], copyOf(shared(16), kX, 1));
  read(3, 2, shared(16));
  EXPECT_EQ(message(Report::Copy), "reads 4 bytes at shared+16, the destination of an asynchronous copy that this "
                                   "thread issued at kernel.py:1 and has not waited for");
  barrier();
  read(9, 3, shared(24));
  EXPECT_EQ(message(Report::Copy), "reads 4 bytes at shared+24, the destination of an asynchronous copy that thread 3 "
                                   "issued at kernel.py:1 and has not waited for");
  EXPECT_EQ(launch.reports.back().otherThread, 3);
  EXPECT_EQ(launch.reports.back().otherSite, 1);
}

TEST_F(CopyTest, BarrierAfterTheWaitIsMissing) {
  AsyncCopy copy = copyOf(shared(16), kX, 1);
  checker->issue(block->threads[3], copy);
  barrier();
  checker->arrive(block->threads[3], copy);
  read(9, 2, shared(16));
  EXPECT_EQ(message(Report::Race),
            "reads 4 bytes at shared+16 that thread 3 wrote at kernel.py:1, with no barrier between them");
}

TEST_F(CopyTest, OverwritesWhatIsStillRead) {
  write(3, 1, shared(16));
  barrier();
  read(9, 2, shared(16));
  checker->issue(block->threads[3], copyOf(shared(16), kX, 3));
  EXPECT_EQ(message(Report::Race),
            "copies 16 bytes to shared+16 that thread 9 read at kernel.py:2, with no barrier between them");
}

TEST_F(CopyTest, AnotherCopyToTheSameBytes) {
  checker->issue(block->threads[3], copyOf(shared(16), kX, 1));
  checker->issue(block->threads[3], copyOf(shared(16), kX + 16, 2));
  EXPECT_EQ(message(Report::Copy), "copies 16 bytes to shared+16, the destination of an asynchronous copy that this "
                                   "thread issued at kernel.py:1 and has not waited for");
}

TEST_F(CopyTest, SourceIsRead) {
  AsyncCopy copy = copyOf(shared(16), kX, 1);
  copy.read = 8;
  checker->issue(block->threads[3], copy);
  write(4, 2, kX + 8);
  expectNothing();
  write(4, 3, kX + 4);
  EXPECT_EQ(message(Report::Race),
            "writes 4 bytes at x+4 that thread 3 read at kernel.py:1, with no barrier between them");
}

TEST_F(CopyTest, PendingCopiesDoNotOutliveTheirBlock) {
  checker->issue(block->threads[3], copyOf(shared(16), kX, 1));
  checker->begin(*block);
  write(3, 2, shared(16));
  read(3, 3, shared(16));
  expectNothing();
}

TEST_F(CopiesOnlyTest, NothingElseIsReported) {
  write(0, 1, shared(0));
  read(1, 2, shared(0));
  read(1, 2, shared(4));
  expectNothing();
  checker->issue(block->threads[3], copyOf(shared(16), kX, 1));
  barrier();
  read(9, 2, shared(16));
  messages({Report::Copy});
}

TEST_F(RacesOnlyTest, ACopyIsAWriteWhenItIsIssued) {
  AsyncCopy copy = copyOf(shared(16), kX, 1);
  checker->issue(block->threads[3], copy);
  read(9, 2, shared(16));
  EXPECT_EQ(message(Report::Race),
            "reads 4 bytes at shared+16 that thread 3 copied to at kernel.py:1, with no barrier between them");
}

TEST_F(NothingTest, IsReported) {
  EXPECT_TRUE(write(0, 1, kX));
  EXPECT_TRUE(write(1, 1, kX));
  EXPECT_TRUE(read(1, 1, shared(64)));
  EXPECT_TRUE(checker->issue(block->threads[0], copyOf(shared(0), kX, 1)));
  EXPECT_TRUE(read(0, 1, shared(4)));
  barrier();
  expectNothing();
}

TEST_F(NothingTest, ButBoundsAndAlignment) {
  EXPECT_FALSE(write(0, 1, kX + 64));
  EXPECT_FALSE(read(0, 2, shared(128)));
  EXPECT_FALSE(checker->issue(block->threads[0], copyOf(shared(0), kX + 64, 3)));
  EXPECT_FALSE(read(0, 4, kX + 2));
  messages({Report::Bounds, Report::Bounds, Report::Bounds, Report::Alignment});
}
