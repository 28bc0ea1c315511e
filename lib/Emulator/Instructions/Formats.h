// Binary floating point formats that are narrower than a double, and conversions to and from them.

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTIONS_FORMATS_H
#define TILEWRIGHT_EMULATOR_INSTRUCTIONS_FORMATS_H

#include <cstdint>

namespace tilewright::emulator {

/// A format with sign, exponent and fraction, from the highest bit down, and with subnormal numbers.
struct FloatFormat {
  int exponentBits;
  int fractionBits;
  uint32_t largest;  ///< the bits of the largest finite number
  uint32_t nan;      ///< the bits of the NaN that is returned as a result, including unused bits
  bool infinity;     ///< whether largest + 1 is infinity; all larger codes are NaN
  int unused = 0;    ///< bits below the fraction: a tf32 is the upper part of 32 bits
  bool fnuz = false; ///< no infinity and no negative zero, whose bits are the only NaN; the bias is one more

  constexpr int bias() const { return (1 << (exponentBits - 1)) - (fnuz ? 0 : 1); }
  constexpr int bits() const { return 1 + exponentBits + fractionBits + unused; }
  /// The exponent of the smallest normal number, which subnormal ones share.
  constexpr int smallestExponent() const { return 1 - bias(); }
};

// PTX ISA 5.2.3 "Alternate Floating-Point Data Formats", and IEEE 754.
inline constexpr FloatFormat kF32 = {8, 23, 0x7f7fffff, 0x7fffffff, true};
inline constexpr FloatFormat kF16 = {5, 10, 0x7bff, 0x7fff, true};
inline constexpr FloatFormat kBF16 = {8, 7, 0x7f7f, 0x7fff, true};
inline constexpr FloatFormat kTF32 = {8, 10, 0x3fbff, 0x7fffffff, true, 13};
inline constexpr FloatFormat kE4M3 = {4, 3, 0x7e, 0x7f, false};
inline constexpr FloatFormat kE5M2 = {5, 2, 0x7b, 0x7f, true};
// CDNA 3 ISA, 4.6 "Data Types": those of AMD's GPUs before OCP's.
inline constexpr FloatFormat kE4M3Fnuz = {4, 3, 0x7f, 0x80, false, 0, true};
inline constexpr FloatFormat kE5M2Fnuz = {5, 2, 0x7f, 0x80, false, 0, true};
// These have neither infinity nor NaN; NaN becomes the largest number.
inline constexpr FloatFormat kE2M1 = {2, 1, 0x7, 0x7, false};
inline constexpr FloatFormat kE2M3 = {2, 3, 0x1f, 0x1f, false};
inline constexpr FloatFormat kE3M2 = {3, 2, 0x1f, 0x1f, false};

enum class Rounding { NearestEven, NearestAway, TowardZero };

/// The bits of `value` after rounding. A value that is too large becomes infinity (NaN in a format without infinity).
/// It becomes the largest number if `saturates` is set, or if a finite value is rounded toward zero.
uint32_t encode(double value, const FloatFormat &format, Rounding rounding, bool saturates = false);

/// The value of the lowest `format.bits()` bits.
double decode(uint32_t bits, const FloatFormat &format);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTIONS_FORMATS_H
