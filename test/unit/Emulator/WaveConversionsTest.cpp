// Conversions of 8-bit floats by AMD's GPUs, against tables of the formats' numbers that are computed here.

#include "Waves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tilewright::emulator {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Format {
  const char *decode, *encode;
  int fractionBits, bias;
  bool fnuz, hasInfinity;
  uint32_t largest; ///< its code
};
constexpr Format kFormats[] = {
    {"v_cvt_pk_f32_fp8", "v_cvt_pk_fp8_f32", 3, 7, false, false, 0x7e},
    {"v_cvt_pk_f32_bf8", "v_cvt_pk_bf8_f32", 2, 15, false, true, 0x7b},
    {"v_cvt_pk_f32_fp8.fnuz", "v_cvt_pk_fp8_f32.fnuz", 3, 8, true, false, 0x7f},
    {"v_cvt_pk_f32_bf8.fnuz", "v_cvt_pk_bf8_f32.fnuz", 2, 16, true, false, 0x7f},
};

/// The value of a code, by the definition of the format.
float valueOf(const Format &format, uint32_t code) {
  uint32_t size = code & 0x7f, fraction = size & ((1U << format.fractionBits) - 1);
  int exponent = static_cast<int>(size >> format.fractionBits);
  if (format.fnuz ? code == 0x80 : size > format.largest) {
    bool infinite = format.hasInfinity && size == format.largest + 1;
    return infinite ? std::copysign(kInfinity, code & 0x80 ? -1.0f : 1.0f) : NAN;
  }
  float significand = std::ldexp(float(fraction), -format.fractionBits) + (exponent ? 1.0f : 0.0f);
  float value = std::ldexp(significand, std::max(exponent, 1) - format.bias);
  return code & 0x80 ? -value : value;
}

bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// The results of one wave for 64 pairs.
std::vector<uint64_t> convert(const char *name, const std::function<Slots(int lane)> &operands) {
  return executeWave(name, 64, operands).results;
}

TEST(WaveConversions, DecodeEveryCodeInEachPlace) {
  for (const Format &format : kFormats) {
    for (uint32_t first = 0; first < 256; first += 64) {
      for (uint64_t half : {0, 1}) {
        auto results = convert(format.decode, [&](int lane) {
          uint64_t pair = (first + lane) << 8 | (255 - first - lane);
          return Slots{half ? pair << 16 | 0x1234 : 0x12340000 | pair, half};
        });
        for (uint32_t lane = 0; lane < 64; ++lane) {
          EXPECT_TRUE(same(floatOf(results[lane] & 0xffffffff), valueOf(format, 255 - first - lane)));
          EXPECT_TRUE(same(floatOf(results[lane] >> 32), valueOf(format, first + lane)))
              << format.decode << " " << first + lane;
        }
      }
    }
  }
}

/// The code nearest to x among all, even codes in ties; numbers above all are NaN or infinite, and -0 of fnuz is 0.
uint32_t nearest(const Format &format, float x) {
  if (std::isnan(x)) {
    return format.fnuz ? 0x80 : 0x7f;
  }
  uint32_t best = 0;
  double size = std::min(std::fabs(double(x)), 4 * double(valueOf(format, format.largest)));
  // One step beyond the largest number rounds as if the format went on.
  double step = double(valueOf(format, format.largest)) - double(valueOf(format, format.largest - 1));
  for (uint32_t code = 0; code <= format.largest + 1; ++code) {
    auto at = [&](uint32_t c) {
      return c > format.largest ? double(valueOf(format, format.largest)) + step : double(valueOf(format, c));
    };
    double distance = std::fabs(at(code) - size), least = std::fabs(at(best) - size);
    if (distance < least || (distance == least && code % 2 == 0)) {
      best = code;
    }
  }
  if (best > format.largest && format.fnuz) {
    return 0x80;
  }
  bool isNegative = std::signbit(x) && !(format.fnuz && best == 0);
  return best | (isNegative ? 0x80 : 0);
}

TEST(WaveConversions, RoundToTheNearestCode) {
  std::mt19937 random(11);
  for (const Format &format : kFormats) {
    std::vector<float> values = {0, -0.0f, kInfinity, -kInfinity, NAN, 1e30f, -1e30f, 1e-30f, -1e-30f, 448, 480, 57344};
    for (uint32_t code = 0; code < format.largest; ++code) {
      float low = valueOf(format, code), middle = (low + valueOf(format, code + 1)) / 2;
      for (float value : {low, middle, std::nextafter(middle, kInfinity), std::nextafter(middle, -kInfinity)}) {
        values.insert(values.end(), {value, -value});
      }
    }
    std::uniform_real_distribution<float> exponents(-20, 17);
    while (values.size() % 64 != 0 || values.size() < 2048) {
      values.push_back(std::copysign(std::exp2(exponents(random)), random() % 2 ? 1.0f : -1.0f));
    }
    for (size_t first = 0; first < values.size(); first += 64) {
      auto at = [&](size_t lane) { return values[first + lane % 64]; };
      for (uint64_t half : {0, 1}) {
        auto results = convert(
            format.encode, [&](int lane) { return Slots{slotOf(at(lane)), slotOf(at(lane + 1)), 0xabcdef12, half}; });
        for (size_t lane = 0; lane < 64; ++lane) {
          uint64_t pair = nearest(format, at(lane)) | nearest(format, at(lane + 1)) << 8;
          EXPECT_EQ(results[lane], half ? pair << 16 | 0xef12 : 0xabcd0000 | pair)
              << format.encode << " " << at(lane) << " " << at(lane + 1);
        }
      }
    }
  }
}

} // namespace
} // namespace tilewright::emulator
