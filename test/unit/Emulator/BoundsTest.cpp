// Accesses that are out of bounds or misaligned.

#include "CheckerFixture.h"

using namespace tilewright::emulator;

namespace {

struct BoundsTest : CheckerTest {};
struct AlignmentTest : CheckerTest {};

} // namespace

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

TEST_F(BoundsTest, PlacesAroundAnAccess) {
  auto places = [&](MemorySpace space, uint64_t address, uint32_t bytes) {
    KnownPlaces found = checker->placesAround(space, address, bytes);
    return std::pair(found.begin, found.count);
  };
  EXPECT_EQ(places(MemorySpace::Global, kX + 8, 4), std::pair(kX, uint64_t(61)));
  EXPECT_EQ(places(MemorySpace::Global, kY, 32), std::pair(kY, uint64_t(1)));
  EXPECT_EQ(places(MemorySpace::Shared, shared(16), 16), std::pair(shared(0), uint64_t(113)));
  for (uint64_t wrong : {kX - 4, kX + 61, kX + 64, uint64_t(0), ~uint64_t(0)}) {
    EXPECT_EQ(places(MemorySpace::Global, wrong, 4).second, 0u);
  }
  KnownPlaces none;
  EXPECT_FALSE(none.include(0));
  KnownPlaces some = checker->placesAround(MemorySpace::Global, kX, 16);
  EXPECT_TRUE(some.include(kX + 48));
  EXPECT_FALSE(some.include(kX + 49));
  EXPECT_FALSE(some.include(kX - 1));
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

TEST_F(AlignmentTest, OfAVector) {
  EXPECT_FALSE(read(0, 1, kX + 8, 16));
  EXPECT_EQ(message(Report::Alignment), "reads 16 bytes at x+8, an address that is not a multiple of 16");
  EXPECT_TRUE(checker->access({block->threads[0], 1, AccessKind::Read, MemorySpace::Global, kX + 8, 16, 4}));
  expectNothing();
}

TEST_F(AlignmentTest, OfACopy) {
  EXPECT_FALSE(checker->issue(block->threads[0], copyOf(shared(8), kX, 1)));
  EXPECT_FALSE(checker->issue(block->threads[0], copyOf(shared(0), kX + 4, 2)));
  messages({Report::Alignment, Report::Alignment});
}
