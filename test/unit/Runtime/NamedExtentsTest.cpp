#include "tilewright/Runtime/NamedExtents.h"

#include "gtest/gtest.h"

using namespace tilewright::runtime;

TEST(NamedExtents, Contains) {
  EXPECT_TRUE(contains(100, 200, {100, 100}));
  EXPECT_TRUE(contains(100, 200, {200, 0}));
  EXPECT_FALSE(contains(100, 200, {99, 1}));
  EXPECT_FALSE(contains(100, 200, {197, 4}));
  EXPECT_FALSE(contains(100, 100, {100, 1}));
  // The end of this range wraps around.
  EXPECT_FALSE(contains(100, 200, {UINT64_MAX - 1, 4}));
  EXPECT_FALSE(contains(0, 200, {UINT64_MAX, 101}));
}

TEST(NamedExtents, CrossesEdge) {
  EXPECT_TRUE(crossesEdge(100, 200, {98, 4}));
  EXPECT_TRUE(crossesEdge(100, 200, {198, 4}));
  EXPECT_FALSE(crossesEdge(100, 200, {96, 4}));
  EXPECT_FALSE(crossesEdge(100, 200, {200, 4}));
  EXPECT_FALSE(crossesEdge(100, 200, {150, 4}));
  EXPECT_FALSE(crossesEdge(100, 100, {98, 4}));
}

TEST(NamedExtents, Nearest) {
  std::vector<NamedExtent> arrays = {{"x", 100, 200}, {"y", 300, 400}};
  EXPECT_EQ(nearestExtent(arrays, {210, 4})->name, "x");
  EXPECT_EQ(nearestExtent(arrays, {290, 4})->name, "y");
  EXPECT_EQ(nearestExtent(arrays, {398, 4})->name, "y");
  EXPECT_EQ(nearestExtent(arrays, {UINT64_MAX, 4})->name, "y");
  EXPECT_EQ(nearestExtent({}, {0, 4}), nullptr);
}

TEST(NamedExtents, SaysWhere) {
  NamedExtent x{"x", 100, 200};
  EXPECT_EQ(nameAddress(&x, {200, 4}), "x+100");
  EXPECT_EQ(nameAddress(&x, {90, 4}), "x-10");
  EXPECT_EQ(nameAddress(&x, {uint64_t(1) << 40, 4}), "0x10000000000");
  EXPECT_EQ(nameAddress(nullptr, {16, 4}), "0x10");
  EXPECT_EQ(describeDistance(&x, {200, 4}), "right after the end of x, which has 100 bytes");
  EXPECT_EQ(describeDistance(&x, {201, 4}), "1 byte after the end of x, which has 100 bytes");
  EXPECT_EQ(describeDistance(&x, {198, 4}), "the last 2 of them after the end of x, which has 100 bytes");
  EXPECT_EQ(describeDistance(&x, {98, 4}), "the first 2 of them before the beginning of x, which has 100 bytes");
  EXPECT_EQ(describeDistance(&x, {90, 4}), "10 bytes before the beginning of x, which has 100 bytes");
  EXPECT_EQ(describeDistance(nullptr, {90, 4}), "where the kernel was given no memory");
}
