// Compares conversions with the values that define a format, and with formulas on bits.

#include "Lanes.h"

#include <cmath>
#include <limits>
#include <random>

namespace tilewright::emulator {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// An 8-bit format (PTX ISA 5.2.3).
struct Float8 {
  const char *name;
  int exponentBits, fractionBits;
  int largest; ///< the code of the largest number
};
constexpr Float8 kFloat8[] = {{"e4m3", 4, 3, 0x7e}, {"e5m2", 5, 2, 0x7b}};

/// The value by definition: 2^(e - bias) (1 + f / 2^fractionBits), or 2^(1 - bias) f / 2^fractionBits if e is 0.
double valueOf(const Float8 &format, int code) {
  int exponent = code >> format.fractionBits, bias = (1 << (format.exponentBits - 1)) - 1;
  double fraction = std::ldexp(code & ((1 << format.fractionBits) - 1), -format.fractionBits);
  return exponent ? std::ldexp(1 + fraction, exponent - bias) : std::ldexp(fraction, 1 - bias);
}

/// The code of the number nearest to `value`, with ties to even.
int nearest(const Float8 &format, double value) {
  if (std::isnan(value)) {
    return 0x7f;
  }
  double magnitude = std::fabs(value);
  int best = format.largest;
  for (int code = 0; magnitude < valueOf(format, format.largest) && code <= format.largest; ++code) {
    double distance = std::fabs(valueOf(format, code) - magnitude);
    double least = std::fabs(valueOf(format, best) - magnitude);
    if (distance < least || (distance == least && code % 2 == 0)) {
      best = code;
    }
  }
  return best | (std::signbit(value) ? 0x80 : 0);
}

class Float8Conversion : public testing::TestWithParam<Float8> {
protected:
  std::string instruction(std::string variant, std::string to, std::string from) {
    return "cvt.rn." + variant + to + "x2." + from;
  }
};
INSTANTIATE_TEST_SUITE_P(Conversions, Float8Conversion, testing::ValuesIn(kFloat8));

TEST_P(Float8Conversion, OfFloatsIsToTheNearest) {
  std::vector<float> values = {0.0f, -0.0f, kInfinity, -kInfinity, std::nanf(""), 1e30f, -1e-30f, 0x1p-149f};
  for (int code = 0; code < GetParam().largest; ++code) {
    float middle = static_cast<float>((valueOf(GetParam(), code) + valueOf(GetParam(), code + 1)) / 2);
    for (float value : {static_cast<float>(valueOf(GetParam(), code)), std::nextafter(middle, 0.0f), middle,
                        std::nextafter(middle, kInfinity)}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  std::string name = instruction("satfinite.", GetParam().name, "f32");
  for (size_t i = 0; i + 1 < values.size(); i += 2) {
    uint64_t expected = nearest(GetParam(), values[i]) << 8 | nearest(GetParam(), values[i + 1]);
    EXPECT_EQ(execute(name, {slotOf(values[i]), slotOf(values[i + 1])}), expected) << values[i];
  }
}

TEST_P(Float8Conversion, OfHalvesIsToTheNearest) {
  Slots operands;
  for (uint32_t bits = 0; bits < 0x10000; bits += 2) {
    operands.push_back(bits << 16 | (bits + 1));
  }
  Slots results = executeEach(instruction("satfinite.", GetParam().name, "f16x2"), operands);
  for (size_t i = 0; i < operands.size(); ++i) {
    double upper = sameBits<_Float16>(static_cast<uint16_t>(operands[i] >> 16));
    double lower = sameBits<_Float16>(static_cast<uint16_t>(operands[i]));
    ASSERT_EQ(results[i], static_cast<uint64_t>(nearest(GetParam(), upper) << 8 | nearest(GetParam(), lower))) << upper;
  }
}

TEST_P(Float8Conversion, ToHalvesKeepsEveryNumber) {
  for (int code = 0; code < 256; ++code) {
    int magnitude = code & 0x7f;
    double value = magnitude <= GetParam().largest ? valueOf(GetParam(), magnitude) : INFINITY;
    uint16_t half = sameBits<uint16_t>(static_cast<_Float16>(code & 0x80 ? -value : value));
    bool isNaN = magnitude > GetParam().largest + (GetParam().exponentBits == 5);
    uint64_t expected = isNaN ? 0x7fff : half;
    EXPECT_EQ(execute(instruction("", "f16", std::string(GetParam().name) + "x2"), {static_cast<uint64_t>(code)}),
              expected);
  }
}

TEST_P(Float8Conversion, MakesNegativeNumbersZeroWithRelu) {
  std::string name = instruction("satfinite.relu.", GetParam().name, "f32");
  EXPECT_EQ(execute(name, {slotOf(-1.0f), slotOf(-0.0f)}), 0u);
  EXPECT_EQ(execute(name, {slotOf(-kInfinity), slotOf(kInfinity)}), static_cast<uint64_t>(GetParam().largest));
  EXPECT_EQ(execute(name, {slotOf(-std::nanf("")), slotOf(0.0f)}), 0x7f00u);
}

Slots randomFloats() {
  std::mt19937 random(7);
  Slots operands = {0x00000000, 0x80000000, 0x00000001, 0x007fffff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0x3f801000};
  while (operands.size() < 4096) {
    operands.push_back(random() & ~(random() % 4 ? 0u : 0xfffu)); // a quarter of them end in zeros
  }
  return operands;
}

bool isFinite(uint32_t bits) { return (bits & 0x7f800000) != 0x7f800000; }

uint32_t nearestAway(uint32_t bits) { return isFinite(bits) ? bits + 0x1000 : bits; }
uint32_t nearestEven19(uint32_t bits) { return isFinite(bits) ? bits + 0xfff + (bits >> 13 & 1) : bits; }
uint32_t nearestEven16(uint32_t bits) { return isFinite(bits) ? bits + 0x7fff + (bits >> 16 & 1) : bits; }
uint32_t same(uint32_t bits) { return bits; }

/// Compares a conversion with `round`, whose result's bits below `lowest` are ignored.
void expectRounded(const char *name, uint32_t (*round)(uint32_t), uint32_t nan, int lowest, int shift) {
  Slots operands = randomFloats(), results = executeEach(name, operands);
  for (size_t i = 0; i < operands.size(); ++i) {
    uint32_t bits = static_cast<uint32_t>(operands[i]);
    uint32_t expected = std::isnan(floatOf(bits)) ? nan : round(bits) >> lowest << (lowest - shift);
    ASSERT_EQ(results[i], expected) << name << " of " << std::hex << bits;
  }
}

TEST(Tf32Conversion, RoundsAsItsNameSays) {
  expectRounded("cvt.rna.tf32.f32", nearestAway, 0x7fffffff, 13, 0);
  expectRounded("cvt.rn.tf32.f32", nearestEven19, 0x7fffffff, 13, 0);
  expectRounded("cvt.rz.tf32.f32", same, 0x7fffffff, 13, 0);
}

TEST(Tf32Conversion, OverflowsOrSaturates) {
  EXPECT_EQ(execute("cvt.rna.tf32.f32", {0x7f7fffff}), 0x7f800000u);
  EXPECT_EQ(execute("cvt.rna.satfinite.tf32.f32", {0x7f7fffff}), 0x7f7fe000u);
  EXPECT_EQ(execute("cvt.rna.satfinite.tf32.f32", {0xff800000}), 0xff7fe000u);
}

TEST(Bf16Conversion, RoundsAsItsNameSays) {
  expectRounded("cvt.rn.bf16.f32", nearestEven16, 0x7fff, 16, 16);
  expectRounded("cvt.rz.bf16.f32", same, 0x7fff, 16, 16);
}

TEST(HalfConversion, RoundsAsTheCompilerDoes) {
  std::mt19937 random(7);
  Slots operands;
  for (int i = 0; i < 4096; ++i) {
    operands.push_back(
        slotOf(std::ldexp(static_cast<float>(random() >> 8) - 0x1p23f, static_cast<int>(random() % 48) - 50)));
  }
  Slots results = executeEach("cvt.rn.f16.f32", operands);
  for (size_t i = 0; i < operands.size(); ++i) {
    ASSERT_EQ(results[i], sameBits<uint16_t>(static_cast<_Float16>(floatOf(operands[i])))) << floatOf(operands[i]);
  }
}

TEST(PairConversion, HasItsFirstOperandInTheUpperHalf) {
  EXPECT_EQ(execute("cvt.rn.f16x2.f32", {slotOf(1.0f), slotOf(2.0f)}), 0x3c004000u);
  EXPECT_EQ(execute("cvt.rn.bf16x2.f32", {slotOf(1.0f), slotOf(2.0f)}), 0x3f804000u);
  EXPECT_EQ(execute("cvt.rz.f16x2.f32", {slotOf(1e30f), slotOf(-1e30f)}), 0x7bfffbffu);
  EXPECT_EQ(execute("cvt.rn.relu.bf16x2.f32", {slotOf(-1.0f), slotOf(2.0f)}), 0x4000u);
}

} // namespace
} // namespace tilewright::emulator
