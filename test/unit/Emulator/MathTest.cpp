// Results for special operands, from the tables of the PTX ISA's section 9.7.3, and errors of the approximations.

#include "Lanes.h"

#include <cmath>
#include <limits>

namespace tilewright::emulator {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kSubnormal = 0x1p-130f;

struct SpecialCase {
  const char *name;
  float operand, result;
};

class SpecialOperands : public testing::TestWithParam<SpecialCase> {};

TEST_P(SpecialOperands, HaveTheResultOfTheTable) {
  const SpecialCase &test = GetParam();
  uint64_t result = execute(test.name, {slotOf(test.operand)});
  uint64_t expected = std::isnan(test.result) ? 0x7fffffff : slotOf(test.result);
  EXPECT_EQ(result, expected) << test.name << " of " << test.operand << " is " << floatOf(result);
}

constexpr SpecialCase kSpecialCases[] = {
    {"ex2.approx.ftz.f32", -kInfinity, 0.0f},
    {"ex2.approx.ftz.f32", -kSubnormal, 1.0f},
    {"ex2.approx.ftz.f32", -0.0f, 1.0f},
    {"ex2.approx.ftz.f32", kInfinity, kInfinity},
    {"ex2.approx.ftz.f32", kNaN, kNaN},
    {"ex2.approx.ftz.f32", -127.0f, 0.0f},
    {"ex2.approx.f32", -127.0f, 0x1p-127f},
    {"ex2.approx.f32", 128.0f, kInfinity},

    {"lg2.approx.f32", -kInfinity, kNaN},
    {"lg2.approx.f32", -1.0f, kNaN},
    {"lg2.approx.f32", -0.0f, -kInfinity},
    {"lg2.approx.f32", 0.0f, -kInfinity},
    {"lg2.approx.f32", kSubnormal, -130.0f},
    {"lg2.approx.ftz.f32", kSubnormal, -kInfinity},
    {"lg2.approx.ftz.f32", -kSubnormal, -kInfinity},
    {"lg2.approx.f32", kInfinity, kInfinity},

    {"sqrt.approx.f32", -kInfinity, kNaN},
    {"sqrt.approx.f32", -1.0f, kNaN},
    {"sqrt.approx.f32", -0.0f, -0.0f},
    {"sqrt.approx.f32", 0.0f, 0.0f},
    {"sqrt.approx.f32", kSubnormal, 0x1p-65f},
    {"sqrt.approx.ftz.f32", kSubnormal, 0.0f},
    {"sqrt.approx.ftz.f32", -kSubnormal, -0.0f},
    {"sqrt.approx.f32", kInfinity, kInfinity},
    {"sqrt.approx.f32", kNaN, kNaN},

    {"rsqrt.approx.f32", -kInfinity, kNaN},
    {"rsqrt.approx.f32", -1.0f, kNaN},
    {"rsqrt.approx.f32", -0.0f, -kInfinity},
    {"rsqrt.approx.f32", 0.0f, kInfinity},
    {"rsqrt.approx.f32", kSubnormal, 0x1p65f},
    {"rsqrt.approx.ftz.f32", kSubnormal, kInfinity},
    {"rsqrt.approx.ftz.f32", -kSubnormal, -kInfinity},
    {"rsqrt.approx.f32", kInfinity, 0.0f},
    {"rsqrt.approx.f32", kNaN, kNaN},

    {"rcp.approx.ftz.f32", -kInfinity, -0.0f},
    {"rcp.approx.ftz.f32", -kSubnormal, -kInfinity},
    {"rcp.approx.ftz.f32", -0.0f, -kInfinity},
    {"rcp.approx.ftz.f32", 0.0f, kInfinity},
    {"rcp.approx.ftz.f32", kSubnormal, kInfinity},
    {"rcp.approx.ftz.f32", kInfinity, 0.0f},
    {"rcp.approx.ftz.f32", 0x1.8p126f, 0.0f},
    {"rcp.rn.f32", 0x1p127f, 0x1p-127f},
    {"rcp.approx.ftz.f32", kNaN, kNaN},

    {"sin.approx.f32", -0.0f, -0.0f},
    {"sin.approx.f32", kInfinity, kNaN},
    {"sin.approx.ftz.f32", -kSubnormal, -0.0f},
    {"cos.approx.f32", -kSubnormal, 1.0f},
    {"cos.approx.f32", -kInfinity, kNaN},
    {"tanh.approx.f32", -kInfinity, -1.0f},
    {"tanh.approx.f32", kInfinity, 1.0f},
    {"tanh.approx.f32", -0.0f, -0.0f},
    {"tanh.approx.f32", kNaN, kNaN},
};

INSTANTIATE_TEST_SUITE_P(Math, SpecialOperands, testing::ValuesIn(kSpecialCases));

float divide(const char *name, float a, float b) { return floatOf(execute(name, {slotOf(a), slotOf(b)})); }

TEST(Division, IsOfAllOperandsWhenFull) {
  EXPECT_EQ(divide("div.full.f32", 1.0f, 3.0f), 1.0f / 3.0f);
  EXPECT_EQ(divide("div.full.f32", 0x1p127f, 0x1p127f), 1.0f);
  EXPECT_EQ(divide("div.full.f32", kSubnormal, 0x1p-10f), 0x1p-120f);
  EXPECT_EQ(divide("div.full.f32", -1.0f, 0.0f), -kInfinity);
  EXPECT_EQ(execute("div.full.f32", {slotOf(0.0f), slotOf(0.0f)}), 0x7fffffffu);
}

TEST(Division, FlushesSubnormalNumbers) {
  EXPECT_EQ(divide("div.full.ftz.f32", kSubnormal, 0x1p-10f), 0.0f);
  EXPECT_EQ(divide("div.full.ftz.f32", 0x1p-100f, 0x1p28f), 0.0f);
  EXPECT_EQ(divide("div.full.ftz.f32", 1.0f, kSubnormal), kInfinity);
}

TEST(Division, ByLargeNumbersIsZeroWhenApproximate) {
  EXPECT_EQ(divide("div.approx.f32", 0x1p127f, 0x1p127f), 0.0f);
  EXPECT_EQ(divide("div.approx.f32", 0x1p126f, 0x1p126f), 1.0f);
  EXPECT_EQ(execute("div.approx.f32", {slotOf(kInfinity), slotOf(0x1p127f)}), 0x7fffffffu);
}

float multiplyAdd(const char *name, float a, float b, float c) {
  return floatOf(execute(name, {slotOf(a), slotOf(b), slotOf(c)}));
}

TEST(FusedMultiplyAdd, RoundsOnce) {
  EXPECT_EQ(multiplyAdd("fma.rn.f32", 1 + 0x1p-12f, 1 + 0x1p-12f, -1 - 0x1p-11f), 0x1p-24f);
}

TEST(FusedMultiplyAdd, ClampsWhenItSaturates) {
  EXPECT_EQ(multiplyAdd("fma.rn.sat.f32", 2, 3, 4), 1.0f);
  EXPECT_EQ(multiplyAdd("fma.rn.sat.f32", 0.25f, 0.5f, 0.5f), 0.625f);
  EXPECT_EQ(execute("fma.rn.sat.f32", {slotOf(-2.0f), slotOf(3.0f), slotOf(4.0f)}), 0u);
  EXPECT_EQ(execute("fma.rn.sat.f32", {slotOf(kNaN), slotOf(3.0f), slotOf(4.0f)}), 0u);
  EXPECT_EQ(multiplyAdd("fma.rn.sat.f32", kInfinity, 1, 0), 1.0f);
}

TEST(FusedMultiplyAdd, KeepsOrFlushesSubnormalNumbers) {
  EXPECT_EQ(multiplyAdd("fma.rn.sat.f32", kSubnormal, 1, 0), kSubnormal);
  EXPECT_EQ(multiplyAdd("fma.rn.ftz.sat.f32", kSubnormal, 1, 0), 0.0f);
  EXPECT_EQ(multiplyAdd("fma.rn.ftz.f32", 0x1p-100f, 0x1p-30f, 0), 0.0f);
}

TEST(DoublePrecision, IsRoundedOnceAndKeepsPayloads) {
  auto multiplyAdd = [](double a, double b, double c) {
    return execute("fma.rn.f64", {slotOf(a), slotOf(b), slotOf(c)});
  };
  EXPECT_EQ(multiplyAdd(1 + 0x1p-30, 1 + 0x1p-30, -1 - 0x1p-29), slotOf(0x1p-60));
  EXPECT_EQ(multiplyAdd(sameBits<double>(uint64_t(0x7ff8000000001234)), 1, 2), 0x7ff8000000001234u);
  EXPECT_EQ(execute("sqrt.rn.f64", {slotOf(2.0)}), slotOf(std::sqrt(2.0)));
  EXPECT_EQ(execute("rcp.rn.f64", {slotOf(-0.0)}), slotOf(-HUGE_VAL));
  EXPECT_EQ(execute("div.rn.f64", {slotOf(1.0), slotOf(3.0)}), slotOf(1.0 / 3.0));
}

/// The largest error in units of the last place, over a range.
double largestError(const char *name, double (*function)(double), float begin, float end) {
  double largest = 0;
  constexpr int kSteps = 2000;
  for (int i = 0; i < kSteps; ++i) {
    float operand = begin + (end - begin) * static_cast<float>(i) / kSteps;
    double exact = function(operand);
    double unit = std::ldexp(1, std::max(std::ilogb(exact), -126) - 23);
    largest = std::max(largest, std::fabs(floatOf(execute(name, {slotOf(operand)})) - exact) / unit);
  }
  return largest;
}

TEST(Approximations, HaveErrorsOfHalfAUnit) {
  EXPECT_LE(largestError("ex2.approx.f32", std::exp2, -140, 127), 0.5);
  EXPECT_LE(largestError("lg2.approx.f32", std::log2, 0.001f, 1e6f), 0.5);
  EXPECT_LE(largestError("sqrt.approx.f32", std::sqrt, 0, 1e9f), 0.5);
  EXPECT_LE(largestError("rsqrt.approx.f32", [](double a) { return 1 / std::sqrt(a); }, 1e-9f, 1e3f), 0.5);
  EXPECT_LE(largestError("tanh.approx.f32", std::tanh, 0.01f, 10), 0.5);
}

} // namespace
} // namespace tilewright::emulator
