#include "tilewright/Runtime/Host/HalfConversion.h"

#include <cstring>

namespace tilewright::runtime {

template <typename To, typename From> static To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

namespace {
/// A 16-bit float, with sign, exponent and fraction from the highest bit down.
struct Format {
  int exponentBits;
  int fractionBits;
};
} // namespace

/// Rounds to the nearest value of the format, with ties to even.
static uint16_t narrow(double wide, Format format) {
  uint64_t bits = bitsAs<uint64_t>(wide);
  uint16_t sign = uint16_t(bits >> 63 << 15);
  int exponent = int(bits >> 52 & 0x7ff) - 1023;
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint16_t infinity = uint16_t(((1 << format.exponentBits) - 1) << format.fractionBits);
  if (exponent == 1024 && fraction != 0) {
    // A quiet NaN with the upper bits of the payload.
    uint16_t payload = uint16_t(fraction >> (52 - format.fractionBits));
    return sign | infinity | payload | uint16_t(1 << (format.fractionBits - 1));
  }
  if (exponent > bias) {
    return sign | infinity;
  }
  // Below the smallest normal exponent the fraction loses bits. Subnormal doubles become zero.
  int lost = 52 - format.fractionBits + (exponent < 1 - bias ? 1 - bias - exponent : 0);
  if (lost > 54 || exponent == -1023) {
    return sign;
  }
  uint64_t significand = fraction | uint64_t(1) << 52;
  uint64_t kept = significand >> lost;
  uint64_t rest = significand & ((uint64_t(1) << lost) - 1), half = uint64_t(1) << (lost - 1);
  kept += rest > half || (rest == half && (kept & 1));
  // The leading bit adds one to the exponent's field, as does a carry out of the fraction.
  int field = exponent < 1 - bias ? 0 : exponent + bias - 1;
  return sign | uint16_t((uint64_t(field) << format.fractionBits) + kept);
}

uint16_t toHalf(double wide) { return narrow(wide, Format{5, 10}); }

uint16_t toBfloat16(double wide) { return narrow(wide, Format{8, 7}); }

float fromHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits >> 15) << 31;
  uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0) {
    float value = float(fraction) * 0x1p-24f;
    return sign ? -value : value;
  }
  uint32_t quiet = exponent == 0x1f && fraction ? 1u << 22 : 0;
  uint32_t field = exponent == 0x1f ? 0xff : exponent + 112;
  return bitsAs<float>(sign | field << 23 | fraction << 13 | quiet);
}

} // namespace tilewright::runtime
