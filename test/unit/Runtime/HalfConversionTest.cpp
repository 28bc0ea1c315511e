#include "tilewright/Runtime/Host/HalfConversion.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace tilewright::runtime;

static double fromBfloat16(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

static bool isNaN(uint16_t bits, uint16_t infinity) { return (bits & 0x7fff) > infinity; }

TEST(HalfConversionTest, everyHalfComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if (isNaN(bits, 0x7c00)) {
      EXPECT_TRUE(std::isnan(fromHalf(bits)));
      EXPECT_TRUE(isNaN(toHalf(fromHalf(bits)), 0x7c00));
    } else {
      EXPECT_EQ(toHalf(fromHalf(bits)), bits);
    }
  }
}

TEST(HalfConversionTest, everyBfloat16ComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if (isNaN(bits, 0x7f80)) {
      EXPECT_TRUE(isNaN(toBfloat16(fromBfloat16(bits)), 0x7f80));
    } else {
      EXPECT_EQ(toBfloat16(fromBfloat16(bits)), bits);
    }
  }
}

/// Rounding is to the nearest number, with ties to even.
template <typename Widen, typename Narrow> static void checkBetween(uint16_t infinity, Widen widen, Narrow narrow) {
  for (uint16_t low = 0; low + 1 < infinity; ++low) {
    double a = widen(low), b = widen(low + 1), middle = (a + b) / 2;
    EXPECT_EQ(narrow(middle), low & 1 ? low + 1 : low);
    EXPECT_EQ(narrow(std::nextafter(middle, 0.0)), low);
    EXPECT_EQ(narrow(std::nextafter(middle, b)), low + 1);
    EXPECT_EQ(narrow(-std::nextafter(middle, b)), 0x8000 | (low + 1));
  }
}

TEST(HalfConversionTest, halfRoundsToNearest) {
  checkBetween(0x7c00, [](uint16_t bits) { return double(fromHalf(bits)); }, toHalf);
}

TEST(HalfConversionTest, bfloat16RoundsToNearest) { checkBetween(0x7f80, fromBfloat16, toBfloat16); }

TEST(HalfConversionTest, whatIsTooLargeIsInfinite) {
  EXPECT_EQ(toHalf(65519.999), 0x7bff);
  EXPECT_EQ(toHalf(65520.0), 0x7c00);
  EXPECT_EQ(toHalf(-1e300), 0xfc00);
  EXPECT_EQ(toBfloat16(std::numeric_limits<double>::infinity()), 0x7f80);
  EXPECT_EQ(toBfloat16(std::numeric_limits<float>::max()), 0x7f80);
}

TEST(HalfConversionTest, whatIsTooSmallKeepsItsSign) {
  EXPECT_EQ(toHalf(-1e-300), 0x8000);
  EXPECT_EQ(toHalf(0x1p-25), 0);
  EXPECT_EQ(toBfloat16(-0.0), 0x8000);
}
