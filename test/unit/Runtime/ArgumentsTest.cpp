#include "tilewright/Runtime/Arguments.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace tilewright::runtime;

static Extent extent(std::vector<int64_t> shape, std::vector<int64_t> strides) {
  return extentOf(1000, shape.size(), shape.data(), strides.data(), 1, 4);
}

TEST(Extent, OfContiguousArray) {
  int64_t shape[] = {2, 3};
  Extent e = extentOf(1000, 2, shape, nullptr, 1, 4);
  EXPECT_EQ(e.begin, 1000u);
  EXPECT_EQ(e.end, 1024u);
}

TEST(Extent, OfNegativeAndZeroStrides) {
  Extent reversed = extent({5}, {-4});
  EXPECT_EQ(reversed.begin, 984u);
  EXPECT_EQ(reversed.end, 1004u);
  Extent expanded = extent({100, 2}, {0, 4});
  EXPECT_EQ(expanded.begin, 1000u);
  EXPECT_EQ(expanded.end, 1008u);
}

TEST(Extent, OfScalarAndOfNothing) {
  EXPECT_EQ(extent({}, {}).end, 1004u);
  Extent empty = extent({3, 0}, {4, 4});
  EXPECT_EQ(empty.begin, 1000u);
  EXPECT_EQ(empty.end, 1000u);
}

TEST(PairwiseDisjoint, AdjacentRangesAreDisjoint) {
  Extent extents[] = {{0, 16}, {16, 32}, {40, 50}};
  EXPECT_TRUE(pairwiseDisjoint(extents, 3));
}

TEST(PairwiseDisjoint, OneByteShared) {
  Extent extents[] = {{15, 32}, {40, 50}, {0, 16}};
  EXPECT_FALSE(pairwiseDisjoint(extents, 3));
}

TEST(PairwiseDisjoint, EmptyExtentsShareNothing) {
  Extent extents[] = {{0, 16}, {0, 0}, {0, 0}};
  EXPECT_TRUE(pairwiseDisjoint(extents, 3));
}

TEST(PairwiseDisjoint, SortedSearchAgreesWithPairs) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Extent> extents;
    for (int i = 0; i < 24; ++i) {
      uintptr_t begin = random() % 4000;
      extents.push_back({begin, begin + random() % 12});
    }
    bool expected = true;
    for (size_t i = 0; i < extents.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        Extent pair[] = {extents[i], extents[j]};
        expected &= pairwiseDisjoint(pair, 2);
      }
    }
    EXPECT_EQ(pairwiseDisjoint(extents.data(), extents.size()), expected);
  }
}

TEST(Integer, NarrowestType) {
  auto of = [](int64_t value) { return narrowestType({static_cast<uint64_t>(value), false}); };
  EXPECT_EQ(of(INT32_MAX), DataType::I32);
  EXPECT_EQ(of(int64_t(INT32_MAX) + 1), DataType::I64);
  EXPECT_EQ(of(INT32_MIN), DataType::I32);
  EXPECT_EQ(of(int64_t(INT32_MIN) - 1), DataType::I64);
  EXPECT_EQ(narrowestType({UINT64_MAX, true}), DataType::U64);
}

TEST(Integer, Fits) {
  EXPECT_TRUE(fits({127, false}, DataType::I8));
  EXPECT_FALSE(fits({128, false}, DataType::I8));
  EXPECT_TRUE(fits({static_cast<uint64_t>(-128), false}, DataType::I8));
  EXPECT_FALSE(fits({static_cast<uint64_t>(-1), false}, DataType::U64));
  EXPECT_TRUE(fits({UINT64_MAX, true}, DataType::U64));
  EXPECT_FALSE(fits({UINT64_MAX, true}, DataType::I64));
  EXPECT_TRUE(fits({UINT32_MAX, false}, DataType::U32));
}

/// The value of fp16 bits, from the definition of the format.
static double halfValue(unsigned bits) {
  double sign = bits & 0x8000 ? -1 : 1;
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

TEST(FloatBits, EveryHalfIsItself) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if ((bits >> 10 & 31) != 31) {
      EXPECT_EQ(floatBits(halfValue(bits), DataType::FP16), bits);
    }
  }
}

TEST(FloatBits, HalfwayGoesToEven) {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    double middle = (halfValue(bits) + halfValue(bits + 1)) / 2;
    EXPECT_EQ(floatBits(middle, DataType::FP16), bits + (bits & 1));
  }
}

TEST(FloatBits, HalfOverflowsAndKeepsNaN) {
  EXPECT_EQ(floatBits(65519.0, DataType::FP16), 0x7bffu);
  EXPECT_EQ(floatBits(65520.0, DataType::FP16), 0x7c00u);
  EXPECT_EQ(floatBits(-INFINITY, DataType::FP16), 0xfc00u);
  EXPECT_EQ(floatBits(NAN, DataType::FP16) & 0x7fff, 0x7e00u);
}

TEST(FloatBits, BFloatIsTheUpperHalfOfFloat) {
  EXPECT_EQ(floatBits(1.0, DataType::BF16), 0x3f80u);
  EXPECT_EQ(floatBits(1.0 + 1.0 / 256, DataType::BF16), 0x3f80u);
  EXPECT_EQ(floatBits(1.0 + 3.0 / 256, DataType::BF16), 0x3f82u);
  EXPECT_EQ(floatBits(std::numeric_limits<double>::max(), DataType::BF16), 0x7f80u);
  EXPECT_EQ(floatBits(std::ldexp(1, -133), DataType::BF16), 1u);
  EXPECT_GT(floatBits(NAN, DataType::BF16) & 0x7fff, 0x7f80u);
}

TEST(FloatBits, SingleAndDouble) {
  EXPECT_EQ(floatBits(1.0, DataType::FP32), 0x3f800000u);
  EXPECT_EQ(floatBits(-2.0, DataType::FP64), 0xc000000000000000u);
}
