// What a block's threads do with memory, step by step, and what is reported of it.

#include "tilewright/Emulator/Checker.h"
#include "tilewright/Emulator/Counters.h"

#include "gtest/gtest.h"

using namespace tilewright::emulator;

namespace {

/// Checks everything, except what a test turns off.
Settings everything() {
  Settings settings;
  settings.checkBounds = settings.checkInitialized = settings.checkRaces = true;
  settings.checkCopies = settings.checkAlignment = true;
  return settings;
}

constexpr uint64_t kX = 0x7f0000001000, kY = 0x7f0000003000; // of 64 and 32 bytes

/// Two warps with 128 bytes of shared memory, a kernel of ten lines, and the tensors x and y. Site n is line n.
class CheckerTest : public testing::Test {
protected:
  explicit CheckerTest(const Settings &settings = everything(), int threads = 64)
      : settings(settings), kernel(makeKernel(threads)), launch(kernel, this->settings) {
    launch.tensors = {{"x", kX, kX + 64}, {"y", kY, kY + 32}};
    launch.tensorsKnown = true;
    block = std::make_unique<Block>(launch);
    for (int i = 0; i < threads; ++i) {
      block->threads[i].block = block.get();
      block->threads[i].index = i;
      block->threads[i].warp = &block->warps[i / kLanes];
    }
    for (size_t i = 0; i < block->warps.size(); ++i) {
      block->warps[i].block = block.get();
      block->warps[i].index = static_cast<uint32_t>(i);
    }
    checker = std::make_unique<Checker>(launch);
    checker->begin(*block);
  }

  static Kernel makeKernel(int threads) {
    Kernel kernel;
    kernel.name = "kernel";
    kernel.threads = threads;
    kernel.sharedBytes = 128;
    kernel.checked = true;
    kernel.sites.resize(11);
    for (int line = 1; line <= 10; ++line) {
      kernel.sites[line] = {"kernel.py", line, 0};
    }
    return kernel;
  }

  uint64_t shared(int64_t offset) const { return reinterpret_cast<uint64_t>(block->shared) + offset; }

  bool access(int thread, int line, AccessKind kind, uint64_t address, uint32_t bytes) {
    MemorySpace space = address < uint64_t(1) << 32 ? MemorySpace::Shared : MemorySpace::Global;
    return checker->access({block->threads[thread], line, kind, space, address, bytes, bytes});
  }
  bool read(int thread, int line, uint64_t address, uint32_t bytes = 4) {
    return access(thread, line, AccessKind::Read, address, bytes);
  }
  bool write(int thread, int line, uint64_t address, uint32_t bytes = 4) {
    return access(thread, line, AccessKind::Write, address, bytes);
  }
  bool update(int thread, int line, uint64_t address, uint32_t bytes = 4) {
    return access(thread, line, AccessKind::Atomic, address, bytes);
  }

  void barrier() { barrier(0, static_cast<int>(block->threads.size())); }
  void barrier(int begin, int end) {
    std::vector<Thread *> threads;
    for (int i = begin; i < end; ++i) {
      threads.push_back(&block->threads[i]);
    }
    checker->synchronize(threads);
  }
  void warpBarrier(int warp, uint32_t mask = kAllLanes) {
    WarpCall call;
    call.warp = &block->warps[warp];
    call.mask = mask;
    checker->synchronize(call);
  }

  static AsyncCopy copyOf(uint64_t to, uint64_t from, int line, uint32_t size = 16) {
    AsyncCopy copy;
    copy.to = to;
    copy.from = from;
    copy.size = copy.read = size;
    copy.site = line;
    return copy;
  }

  /// The reports since the last call; a message for each.
  std::vector<std::string> messages(std::initializer_list<Report::Kind> kinds) {
    std::vector<std::string> texts;
    std::vector<Report::Kind> found;
    for (; seen < launch.reports.size(); ++seen) {
      texts.push_back(launch.reports[seen].message);
      found.push_back(launch.reports[seen].kind);
    }
    EXPECT_EQ(found, std::vector<Report::Kind>(kinds));
    return texts;
  }
  std::string message(Report::Kind kind) {
    std::vector<std::string> texts = messages({kind});
    return texts.empty() ? "" : texts.front();
  }
  void expectNothing() { messages({}); }

  Settings settings;
  Kernel kernel;
  Launch launch;
  std::unique_ptr<Block> block;
  std::unique_ptr<Checker> checker;
  size_t seen = 0;
};

struct BoundsTest : CheckerTest {};
struct RaceTest : CheckerTest {};
struct CopyTest : CheckerTest {};
struct UninitializedTest : CheckerTest {};
struct AlignmentTest : CheckerTest {};
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
// Bounds
//===----------------------------------------------------------------------===//

TEST_F(BoundsTest, TensorsToTheirLastByte) {
  EXPECT_TRUE(read(0, 1, kX));
  EXPECT_TRUE(read(0, 1, kX + 48, 16));
  EXPECT_TRUE(write(0, 1, kY + 28));
  expectNothing();
}

TEST_F(BoundsTest, AfterTheEnd) {
  EXPECT_FALSE(read(3, 1, kX + 64));
  EXPECT_EQ(message(Report::Bounds), "reads 4 bytes at x+64, right after the end of x, which has 64 bytes");
  EXPECT_FALSE(write(3, 2, kX + 76, 1));
  EXPECT_EQ(message(Report::Bounds), "writes 1 byte at x+76, 12 bytes after the end of x, which has 64 bytes");
  EXPECT_FALSE(update(3, 3, kY + 33, 1));
  EXPECT_EQ(message(Report::Bounds), "updates 1 byte at y+33, 1 byte after the end of y, which has 32 bytes");
}

TEST_F(BoundsTest, BeforeTheBeginning) {
  EXPECT_FALSE(read(0, 1, kY - 16, 8));
  EXPECT_EQ(message(Report::Bounds), "reads 8 bytes at y-16, 16 bytes before the beginning of y, which has 32 bytes");
}

TEST_F(BoundsTest, Astride) {
  EXPECT_FALSE(read(0, 1, kX + 56, 16));
  EXPECT_EQ(message(Report::Bounds),
            "reads 16 bytes at x+56, the last 8 of them after the end of x, which has 64 bytes");
  EXPECT_FALSE(read(0, 2, kX - 4, 16));
  EXPECT_EQ(message(Report::Bounds),
            "reads 16 bytes at x-4, the first 4 of them before the beginning of x, which has 64 bytes");
}

TEST_F(BoundsTest, WildAddresses) {
  EXPECT_FALSE(read(0, 1, ~uint64_t(0) - 1));
  EXPECT_EQ(message(Report::Bounds).find("reads 4 bytes at 0xfffffffffffffffe, "), 0u);
  Access null = {block->threads[0], 2, AccessKind::Read, MemorySpace::Global, 0, 4, 4};
  EXPECT_FALSE(checker->access(null));
  EXPECT_EQ(message(Report::Bounds).find("reads 4 bytes at 0x0, "), 0u);
}

TEST_F(BoundsTest, NoTensors) {
  launch.tensors.clear();
  EXPECT_FALSE(read(0, 1, kX));
  EXPECT_EQ(message(Report::Bounds), "reads 4 bytes at 0x7f0000001000, where the kernel was given no memory");
}

TEST_F(BoundsTest, OtherMemoryIsLetPassWhereThereMayBeSome) {
  launch.tensorsKnown = false;
  EXPECT_TRUE(read(0, 1, kX + 64));
  EXPECT_TRUE(read(0, 1, kX - 4));
  expectNothing();
  EXPECT_FALSE(read(0, 1, kX + 62));
  EXPECT_FALSE(read(0, 2, kX - 2));
  messages({Report::Bounds, Report::Bounds});
}

TEST_F(BoundsTest, SharedMemory) {
  EXPECT_TRUE(write(0, 1, shared(112), 16));
  EXPECT_FALSE(write(0, 1, shared(132)));
  EXPECT_EQ(message(Report::Bounds),
            "writes 4 bytes at shared+132, 4 bytes after the end of shared memory, which has 128 bytes");
  EXPECT_FALSE(write(0, 2, shared(-4)));
  EXPECT_EQ(message(Report::Bounds),
            "writes 4 bytes at shared-4, 4 bytes before the beginning of shared memory, which has 128 bytes");
}

TEST_F(BoundsTest, BothEndsOfACopy) {
  EXPECT_FALSE(checker->issue(block->threads[0], copyOf(shared(0), kX + 64, 1)));
  EXPECT_EQ(message(Report::Bounds), "copies 16 bytes from x+64, right after the end of x, which has 64 bytes");
  EXPECT_FALSE(checker->issue(block->threads[0], copyOf(shared(128), kX, 2)));
  EXPECT_EQ(message(Report::Bounds),
            "copies 16 bytes to shared+128, right after the end of shared memory, which has 128 bytes");
  AsyncCopy masked = copyOf(shared(0), 0, 3);
  masked.read = 0;
  EXPECT_TRUE(checker->issue(block->threads[0], masked));
  expectNothing();
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

TEST_F(AlignmentTest, OfAVector) {
  EXPECT_FALSE(read(0, 1, kX + 8, 16));
  EXPECT_EQ(message(Report::Alignment), "reads 16 bytes at x+8, an address that is no multiple of 16");
  EXPECT_TRUE(checker->access({block->threads[0], 1, AccessKind::Read, MemorySpace::Global, kX + 8, 16, 4}));
  expectNothing();
}

TEST_F(AlignmentTest, OfACopy) {
  EXPECT_FALSE(checker->issue(block->threads[0], copyOf(shared(8), kX, 1)));
  EXPECT_FALSE(checker->issue(block->threads[0], copyOf(shared(0), kX + 4, 2)));
  messages({Report::Alignment, Report::Alignment});
}

//===----------------------------------------------------------------------===//
// Uninitialised memory
//===----------------------------------------------------------------------===//

TEST_F(UninitializedTest, ReadBeforeAnybodyWrote) {
  write(0, 1, shared(0));
  read(0, 2, shared(0), 8);
  EXPECT_EQ(message(Report::Uninitialized), "reads 8 bytes at shared+0, which nobody has written");
  update(0, 3, shared(16));
  messages({Report::Uninitialized});
}

TEST_F(UninitializedTest, NextBlockBeginsAnew) {
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

TEST_F(UninitializedTest, GlobalMemoryIsInitialised) {
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

TEST_F(RaceTest, NeighboursDoNotRace) {
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
  // Knowing of the last one is not enough.
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
  EXPECT_EQ(message(Report::Copy),
            "reads 4 bytes at shared+16, to which this thread copies since kernel.py:1 without having waited for it");
  barrier();
  read(9, 3, shared(24));
  EXPECT_EQ(message(Report::Copy),
            "reads 4 bytes at shared+24, to which thread 3 copies since kernel.py:1 without having waited for it");
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
  EXPECT_EQ(message(Report::Copy),
            "copies 16 bytes to shared+16, to which this thread copies since kernel.py:1 without having waited for it");
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

TEST_F(CopyTest, NobodyWaitsForThoseOfTheBlockBefore) {
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
  read(1, 2, shared(127), 16);
  read(1, 2, kX + 70, 16);
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
  EXPECT_TRUE(write(0, 1, kX + 99));
  EXPECT_TRUE(write(1, 1, kX + 99));
  EXPECT_TRUE(read(1, 1, shared(4096)));
  EXPECT_TRUE(checker->issue(block->threads[0], copyOf(shared(3), kX, 1)));
  EXPECT_TRUE(read(0, 1, shared(4)));
  barrier();
  expectNothing();
}
