// Rounds the bits of doubles to floating point formats.

#include "Formats.h"

#include "Slots.h"

#include <algorithm>
#include <limits>

namespace tilewright::emulator {

constexpr int kDoubleFraction = 52;
constexpr int kDoubleBias = 1023;

/// Drops the lowest `bits` bits of the significand, with rounding.
static uint64_t roundOff(uint64_t significand, int bits, Rounding rounding) {
  uint64_t kept = significand >> bits;
  uint64_t rest = significand & ((uint64_t(1) << bits) - 1);
  uint64_t half = uint64_t(1) << (bits - 1);
  switch (rounding) {
  case Rounding::NearestEven:
    return kept + (rest > half || (rest == half && (kept & 1)));
  case Rounding::NearestAway:
    return kept + (rest >= half);
  case Rounding::TowardZero:
    return kept;
  }
  return kept;
}

/// Encodes a finite number that is not negative. The exponent may overflow its field.
static uint64_t encodeMagnitude(uint64_t bits, const FloatFormat &format, Rounding rounding) {
  int exponent = static_cast<int>(bits >> kDoubleFraction) - kDoubleBias;
  if (exponent == -kDoubleBias) {
    return 0; // zero, or a subnormal double, which is smaller than half of every format's smallest number
  }
  uint64_t significand = (bits & ((uint64_t(1) << kDoubleFraction) - 1)) | (uint64_t(1) << kDoubleFraction);
  int below = std::max(format.smallestExponent() - exponent, 0);
  // Dropping two more bits than the fraction has leaves zero and a rest below one half, so that larger shifts are the
  // same.
  int drop = std::min(kDoubleFraction - format.fractionBits + below, kDoubleFraction + 2);
  // The leading bit of a normal number adds one to the exponent's field, as does a carry of the rounding.
  uint64_t field = below > 0 ? 0 : static_cast<uint64_t>(exponent + format.bias() - 1);
  return (field << format.fractionBits) + roundOff(significand, drop, rounding);
}

uint32_t encode(double value, const FloatFormat &format, Rounding rounding, bool saturates) {
  uint64_t bits = bitCast<uint64_t>(value);
  uint64_t magnitude = bits & ~(uint64_t(1) << 63);
  uint64_t infinity = uint64_t(2 * kDoubleBias + 1) << kDoubleFraction;
  if (magnitude > infinity) {
    return format.nan;
  }
  uint64_t result = format.largest + uint64_t(1);
  if (magnitude < infinity) {
    result = encodeMagnitude(magnitude, format, rounding);
  }
  if (result > format.largest) {
    bool stays = saturates || (rounding == Rounding::TowardZero && magnitude < infinity);
    result = format.largest + (stays ? 0 : 1);
  }
  uint64_t sign = (bits >> 63) << (format.exponentBits + format.fractionBits);
  if (format.fnuz && (result == 0 || result > format.largest)) {
    return result == 0 ? 0 : format.nan;
  }
  return static_cast<uint32_t>((sign | result) << format.unused);
}

double decode(uint32_t bits, const FloatFormat &format) {
  uint32_t number = bits >> format.unused;
  int width = format.exponentBits + format.fractionBits;
  uint64_t magnitude = number & ((uint32_t(1) << width) - 1);
  uint64_t sign = static_cast<uint64_t>(number >> width & 1) << 63;
  if (format.fnuz && sign && magnitude == 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (magnitude > format.largest) {
    bool infinite = format.infinity && magnitude == format.largest + uint64_t(1);
    return bitCast<double>(sign | bitCast<uint64_t>(infinite ? std::numeric_limits<double>::infinity()
                                                             : std::numeric_limits<double>::quiet_NaN()));
  }
  if (magnitude >> format.fractionBits == 0) {
    double unit = bitCast<double>(static_cast<uint64_t>(kDoubleBias + format.smallestExponent() - format.fractionBits)
                                  << kDoubleFraction);
    return sign ? -(static_cast<double>(magnitude) * unit) : static_cast<double>(magnitude) * unit;
  }
  uint64_t shifted = magnitude << (kDoubleFraction - format.fractionBits);
  uint64_t rebias = static_cast<uint64_t>(kDoubleBias - format.bias()) << kDoubleFraction;
  return bitCast<double>(sign | (shifted + rebias));
}

} // namespace tilewright::emulator
