// Mathematical functions of AMD's GPUs, against the tables of their special values and the host's functions.

#include "Waves.h"

#include <cmath>
#include <limits>
#include <random>

namespace tilewright::emulator {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kTiny = 0x1p-140f; ///< denormal

float single(std::string_view name, float a) {
  return floatOf(executeWave(name, 32, [&](int) { return Slots{slotOf(a)}; }).results[0]);
}

uint64_t half(std::string_view name, uint64_t bits) {
  return executeWave(name, 32, [&](int) { return Slots{bits}; }).results[0];
}

TEST(WaveMath, HasTheDocumentedSpecialValues) {
  EXPECT_EQ(single("v_exp_f32", -kInfinity), 0);
  EXPECT_EQ(single("v_exp_f32", kInfinity), kInfinity);
  EXPECT_EQ(single("v_exp_f32", 0), 1);
  EXPECT_EQ(single("v_log_f32", 0), -kInfinity);
  EXPECT_TRUE(std::isnan(single("v_log_f32", -1)));
  EXPECT_EQ(single("v_rcp_f32", -0.0f), -kInfinity);
  EXPECT_EQ(single("v_rcp_f32", kInfinity), 0);
  EXPECT_EQ(single("v_rsq_f32", 0), kInfinity);
  EXPECT_TRUE(std::isnan(single("v_rsq_f32", -4)));
  EXPECT_TRUE(std::isnan(single("v_sqrt_f32", -4)));
  EXPECT_TRUE(std::isnan(single("v_fract_f32", kInfinity)));
}

TEST(WaveMath, OfSinglesFlushesDenormals) {
  EXPECT_EQ(single("v_exp_f32", -140), 0);
  EXPECT_EQ(single("v_exp_f32", -126), 0x1p-126f);
  EXPECT_EQ(single("v_log_f32", kTiny), -kInfinity);
  EXPECT_EQ(single("v_rcp_f32", kTiny), kInfinity);
  EXPECT_EQ(single("v_rcp_f32", 0x1p127f), 0); // the reciprocal is denormal
  EXPECT_EQ(single("v_rsq_f32", kTiny), kInfinity);
}

TEST(WaveMath, OfHalvesKeepsDenormals) {
  EXPECT_EQ(half("v_exp_f16", 0xca80), 0x0800u);  // -13
  EXPECT_EQ(half("v_exp_f16", 0xcb80), 0x0200u);  // -15: 2^-15 is denormal
  EXPECT_EQ(half("v_rcp_f16", 0x7800), 0x0200u);  // 2^15
  EXPECT_EQ(half("v_log_f16", 0x0001), 0xce00u);  // 2^-24
  EXPECT_EQ(half("v_sqrt_f16", 0x4400), 0x4000u); // 4
}

TEST(WaveMath, IsWithinOneUnitOfTheExactValue) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> exponents(-100, 100);
  for (int i = 0; i < 200; ++i) {
    auto x = static_cast<float>(std::exp2(exponents(random)));
    auto near = [](float got, double exact) { return std::fabs(got - exact) <= std::fabs(exact) * 0x1p-23; };
    EXPECT_TRUE(near(single("v_rcp_f32", x), 1 / double(x))) << x;
    EXPECT_TRUE(near(single("v_rsq_f32", x), 1 / std::sqrt(double(x)))) << x;
    EXPECT_TRUE(near(single("v_sqrt_f32", x), std::sqrt(double(x)))) << x;
    EXPECT_TRUE(near(single("v_log_f32", x), std::log2(double(x)))) << x;
    auto power = static_cast<float>(exponents(random));
    EXPECT_TRUE(near(single("v_exp_f32", power), std::exp2(double(power)))) << power;
  }
}

TEST(WaveMath, CountsTurns) {
  EXPECT_EQ(single("v_sin_f32", 0.25f), 1);
  EXPECT_EQ(single("v_sin_f32", 1000.75f), -1);
  EXPECT_EQ(single("v_cos_f32", 0.5f), -1);
  EXPECT_EQ(single("v_cos_f32", 7), 1);
}

TEST(WaveMath, TakesTheFraction) {
  EXPECT_EQ(single("v_fract_f32", 2.75f), 0.75f);
  EXPECT_EQ(single("v_fract_f32", -2.75f), 0.25f);
  EXPECT_LT(single("v_fract_f32", -0x1p-60f), 1);
}

TEST(WaveMath, TakesTheMedian) {
  auto median = [](float a, float b, float c) {
    return floatOf(
        executeWave("v_med3_f32", 32, [&](int) { return Slots{slotOf(a), slotOf(b), slotOf(c)}; }).results[0]);
  };
  float values[] = {-1, 2, 7};
  std::sort(values, values + 3);
  do {
    EXPECT_EQ(median(values[0], values[1], values[2]), 2);
  } while (std::next_permutation(values, values + 3));
  EXPECT_EQ(median(NAN, 5, 3), 3);
  EXPECT_EQ(median(5, NAN, 3), 3);
  auto halves = executeWave("v_med3_f16", 32, [](int) { return Slots{0x4700, 0xc400, 0x4000}; }); // 7, -4, 2
  EXPECT_EQ(halves.results[0], 0x4000u);
}

TEST(WaveMath, PacksHalvesTowardZero) {
  auto pack = [](float a, float b) {
    return executeWave("v_cvt_pkrtz_f16_f32", 32, [&](int) { return Slots{slotOf(a), slotOf(b)}; }).results[0];
  };
  EXPECT_EQ(pack(1.0f, -2.0f), 0xc0003c00u);
  EXPECT_EQ(pack(1.9999f, -1.9999f), 0xbfff3fffu); // to nearest they would be 2
  EXPECT_EQ(pack(1e6f, -1e6f), 0xfbff7bffu);       // the largest finite numbers
  EXPECT_EQ(pack(kInfinity, 0), 0x00007c00u);
}

} // namespace
} // namespace tilewright::emulator
