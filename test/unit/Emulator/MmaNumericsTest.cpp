// The sums of mma bit for bit: truncation, groups, infinities, NaN, and subnormal numbers.

#include "Instructions/MmaNumerics.h"

#include "Lanes.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace tilewright::emulator {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The dot of one row of A and one column of B: c + a[0] b[0] + a[1] b[1] + ...
struct DotProduct {
  const FloatFormat &type = kF16;
  const FloatFormat &accumulator = kF32;
  int architecture = 90;
  std::vector<double> a, b;
  double c = 0;

  double compute(int k) const {
    MmaOperands operands;
    for (int row = 0; row < kMostM; ++row) {
      for (int depth = 0; depth < k; ++depth) {
        bool used = row == 0 && depth < static_cast<int>(a.size());
        operands.setA(row, depth, used ? bits(a[depth], type) : 0, type);
      }
    }
    for (int column = 0; column < kMmaN; ++column) {
      for (int depth = 0; depth < k; ++depth) {
        bool used = column == 0 && depth < static_cast<int>(b.size());
        operands.setB(depth, column, used ? bits(b[depth], type) : 0, type);
      }
      for (int row = 0; row < kMostM; ++row) {
        operands.setC(row, column, row == 0 && column == 0 ? bits(c, accumulator) : 0, accumulator);
      }
    }
    multiplyAdd(operands, kMostM, k, sumRules(architecture, type), accumulator);
    return operands.c[0][0];
  }

  static uint32_t bits(double value, const FloatFormat &format) {
    uint32_t bits = encode(value, format, Rounding::NearestEven);
    EXPECT_TRUE(decode(bits, format) == value || std::isnan(value)) << value << " is no number of the type";
    return bits;
  }
};

std::vector<double> repeat(int count, double value) { return std::vector<double>(count, value); }

TEST(MmaSum, CutsTermsOffBelowTheLargestExponent) {
  // Sixteen times 2^-25 is 2^-21, which a float near 1 can represent.
  EXPECT_EQ((DotProduct{kF16, kF32, 90, repeat(16, 0x1p-12), repeat(16, 0x1p-13), 1}.compute(16)), 1 + 0x1p-21);
  EXPECT_EQ((DotProduct{kF16, kF32, 90, repeat(16, 0x1p-13), repeat(16, 0x1p-13), 1}.compute(16)), 1);
  EXPECT_EQ((DotProduct{kF16, kF32, 80, repeat(16, 0x1p-12), repeat(16, 0x1p-13), 1}.compute(16)), 1);
  EXPECT_EQ((DotProduct{kF16, kF32, 80, repeat(16, 0x1p-12), repeat(16, 0x1p-12), 1}.compute(16)), 1 + 0x1p-20);
}

TEST(MmaSum, CutsNegativeTermsOffTowardZero) {
  EXPECT_EQ((DotProduct{kF16, kF32, 90, repeat(16, -0x1p-13), repeat(16, 0x1p-13), 1}.compute(16)), 1);
}

TEST(MmaSum, CutsTheResultOff) {
  EXPECT_EQ((DotProduct{kF16, kF32, 90, {0x1.8p-12}, {0x1p-12}, 1}.compute(16)), 1);
  EXPECT_EQ((DotProduct{kF16, kF32, 90, {-0x1p-12}, {0x1p-12}, 1}.compute(16)), 1 - 0x1p-24);
  EXPECT_EQ((DotProduct{kF16, kF32, 90, {-0x1p-12}, {0x1p-13}, 1}.compute(16)), 1 - 0x1p-24);
}

TEST(MmaSum, TakesAProductsExponentAsTheSumOfItsFactors) {
  // 2.25 has the exponent 1, but 1.5 times 1.5 counts as exponent 0, so that 2^-25 is kept.
  std::vector<double> a = repeat(9, 0x1p-12), b = repeat(9, 0x1p-13);
  a[0] = b[0] = 1.5;
  EXPECT_EQ((DotProduct{kF16, kF32, 90, a, b}.compute(16)), 2.25 + 0x1p-22);
}

TEST(MmaSum, AddsInGroups) {
  // Small terms are lost in the group that has 2^30, but not in the next group.
  std::vector<double> a = repeat(16, 0), b = repeat(16, 1);
  a[0] = b[0] = 0x1p15;
  a[1] = -0x1p15;
  b[1] = 0x1p15;
  a[7] = 0.5;
  a[8] = 0.25;
  EXPECT_EQ((DotProduct{kF16, kF32, 90, a, b}.compute(16)), 0);
  EXPECT_EQ((DotProduct{kF16, kF32, 80, a, b}.compute(16)), 0.25);
  std::swap(a[4], a[7]);
  EXPECT_EQ((DotProduct{kTF32, kF32, 80, a, b}.compute(8)), 0.5);
  EXPECT_EQ((DotProduct{kTF32, kF32, 90, a, b}.compute(8)), 0);
}

TEST(MmaSum, OfBytesHasThirteenBitsOnAda) {
  EXPECT_EQ((DotProduct{kE4M3, kF32, 89, {0x1p-7}, {0x1p-7}, 1}.compute(32)), 1);
  EXPECT_EQ((DotProduct{kE4M3, kF32, 89, {0x1p-6}, {0x1p-7}, 1}.compute(32)), 1 + 0x1p-13);
  EXPECT_EQ((DotProduct{kE4M3, kF32, 90, {0x1p-7}, {0x1p-7}, 1}.compute(32)), 1 + 0x1p-14);
}

TEST(MmaSum, IsRoundedToTheNearestHalf) {
  EXPECT_EQ((DotProduct{kF16, kF16, 90, {0x1p-6}, {0x1.8p-5}, 1}.compute(16)), 1 + 0x1p-10);
  EXPECT_EQ((DotProduct{kF16, kF16, 90, {0x1p-6}, {0x1p-5}, 1}.compute(16)), 1);
  EXPECT_EQ((DotProduct{kF16, kF16, 90, {-0x1p-6}, {0x1p-6}, -65504}.compute(16)), -65504);
  EXPECT_EQ((DotProduct{kF16, kF16, 90, {-256}, {256}, 0}.compute(16)), -kInfinity);
}

TEST(MmaSum, KeepsSubnormalNumbers) {
  EXPECT_EQ((DotProduct{kF16, kF32, 90, {0x1p-24}, {0x1p-24}}.compute(16)), 0x1p-48);
  EXPECT_EQ((DotProduct{kF16, kF32, 90, {}, {}, 0x1p-149}.compute(16)), 0x1p-149);
  EXPECT_EQ((DotProduct{kBF16, kF32, 90, {0x1p-100}, {0x1.cp-48}}.compute(16)), 3 * 0x1p-149);
  EXPECT_EQ((DotProduct{kBF16, kF32, 90, {0x1p-100}, {0x1p-100}}.compute(16)), 0);
}

TEST(MmaSum, MayCancelBeyondTheAccumulatorsRange) {
  EXPECT_EQ((DotProduct{kBF16, kF32, 90, {0x1p127, -0x1p127}, {0x1p127, 0x1p127}}.compute(16)), 0);
  EXPECT_EQ((DotProduct{kBF16, kF32, 90, {0x1p127}, {0x1p127}}.compute(16)), kInfinity);
}

TEST(MmaSum, KeepsItsInfinityThroughLaterGroups) {
  std::vector<double> a = repeat(16, 0), b = repeat(16, 1);
  a[0] = b[0] = 0x1p127;
  a[15] = -0x1p127;
  EXPECT_EQ((DotProduct{kBF16, kF32, 80, a, b}.compute(16)), kInfinity);
}

TEST(MmaSum, HasTheInfinitiesAndNaNOfItsTerms) {
  EXPECT_EQ((DotProduct{kF16, kF32, 90, {-kInfinity, 1}, {2, 1}, 5}.compute(16)), -kInfinity);
  EXPECT_EQ((DotProduct{kF16, kF32, 90, {1}, {1}, kInfinity}.compute(16)), kInfinity);
  EXPECT_TRUE(std::isnan(DotProduct{kF16, kF32, 90, {kInfinity}, {0}}.compute(16)));
  EXPECT_TRUE(std::isnan(DotProduct{kF16, kF32, 90, {kInfinity, kInfinity}, {1, -1}}.compute(16)));
  EXPECT_TRUE(std::isnan(DotProduct{kF16, kF32, 90, {1}, {std::nan("")}}.compute(16)));
}

/// The same sum in integers, in units of 2^-60. All terms are multiples of it.
double sumInIntegers(const std::vector<double> &a, const std::vector<double> &b, double c, int fractionBits) {
  constexpr int kUnit = -60;
  int top = std::ilogb(c);
  for (size_t i = 0; i < a.size(); ++i) {
    top = std::max(top, std::ilogb(a[i]) + std::ilogb(b[i]));
  }
  int cut = std::max(top - fractionBits - kUnit, 0);
  __int128 sum = 0;
  auto add = [&](double term) {
    // 64 bits of the term above the unit, then the rest of its shift.
    int shift = std::max(std::ilogb(term) - 60 - kUnit, 0);
    __int128 magnitude = static_cast<__int128>(std::ldexp(std::fabs(term), -kUnit - shift)) << shift;
    magnitude = magnitude >> cut << cut;
    sum += term < 0 ? -magnitude : magnitude;
  };
  add(c);
  for (size_t i = 0; i < a.size(); ++i) {
    add(a[i] * b[i]);
  }
  bool negative = sum < 0;
  unsigned __int128 magnitude = negative ? -sum : sum;
  int shift = 0;
  while (magnitude >> shift >= 1 << 24) {
    ++shift;
  }
  double result = std::ldexp(static_cast<double>(static_cast<uint32_t>(magnitude >> shift)), shift + kUnit);
  return negative ? -result : result;
}

TEST(MmaSum, IsThatOfTheKernelsArchitecture) {
  // Column 0 of row 0: the first lane's first register of each operand, whose two halves are 2^-12 and 2^-13.
  auto operands = [](int lane) {
    uint64_t a = lane < 4 ? 0x0c000c00 : 0, b = lane < 4 ? 0x08000800 : 0;
    return Slots{a, 0, a, 0, b, b, slotOf(1.0f), 0, 0, 0};
  };
  const char *name = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
  EXPECT_EQ(executeWarp(name, operands, 4, {}, 90).results[0], slotOf(1 + 0x1p-21f));
  EXPECT_EQ(executeWarp(name, operands, 4, {}, 80).results[0], slotOf(1.0f));
}

TEST(MmaSum, IsThatOfIntegers) {
  std::mt19937 random(3);
  auto draw = [&](int exponents) {
    double significand = 1024 + static_cast<double>(random() % 1024);
    double value = std::ldexp(significand, -10 + static_cast<int>(random() % (2 * exponents)) - exponents);
    return random() % 2 ? -value : value;
  };
  for (int i = 0; i < 3000; ++i) {
    int exponents = 1 + i % 12;
    DotProduct product{kF16, kF32, 90};
    for (int k = 0; k < 16; ++k) {
      product.a.push_back(draw(exponents));
      product.b.push_back(draw(exponents));
    }
    product.c = draw(2 * exponents);
    ASSERT_EQ(product.compute(16), sumInIntegers(product.a, product.b, product.c, 25)) << i;
  }
}

} // namespace
} // namespace tilewright::emulator
