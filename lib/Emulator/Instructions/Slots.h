// Conversions between values and the slots of registers.

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTIONS_SLOTS_H
#define TILEWRIGHT_EMULATOR_INSTRUCTIONS_SLOTS_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace tilewright::emulator {

/// The same bits as another type.
template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// The value in the low bits of a slot.
template <typename T> T fromSlot(uint64_t slot) {
  T value;
  std::memcpy(&value, &slot, sizeof(value));
  return value;
}
inline float toFloat(uint64_t slot) { return fromSlot<float>(slot); }
inline double toDouble(uint64_t slot) { return fromSlot<double>(slot); }

/// The bits of a value, unchanged.
template <typename T> uint64_t bitsInSlot(T value) {
  uint64_t slot = 0;
  std::memcpy(&slot, &value, sizeof(value));
  return slot;
}

/// The NaN that single precision instructions return. Double precision instructions keep an operand's payload, as the
/// host does.
constexpr uint32_t kFloatNaN = 0x7fffffff;

inline uint64_t toSlot(float value) { return value == value ? bitCast<uint32_t>(value) : kFloatNaN; }
inline uint64_t toSlot(double value) { return bitCast<uint64_t>(value); }

/// Replaces a subnormal number by zero with the same sign.
inline float flush(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTIONS_SLOTS_H
