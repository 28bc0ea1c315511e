// The types of matrix elements, for tests of matrix multiplications.

#ifndef TILEWRIGHT_TEST_EMULATOR_MMATYPES_H
#define TILEWRIGHT_TEST_EMULATOR_MMATYPES_H

#include "Lanes.h"

#include <cstdlib>

namespace tilewright::emulator {

enum class Type { F16, BF16, TF32, E4M3, E5M2, S8, U8, F64, F32, S32 };

/// The bits of an integer in a type. In 8-bit floating point types its magnitude must be at most 3.
inline uint64_t bitsOf(Type type, int value) {
  constexpr int kE4M3[] = {0, 0x38, 0x40, 0x44}, kE5M2[] = {0, 0x3c, 0x40, 0x42};
  switch (type) {
  case Type::F16:
    return sameBits<uint16_t>(static_cast<_Float16>(value));
  case Type::BF16:
    return slotOf(static_cast<float>(value)) >> 16;
  case Type::F32:
  case Type::TF32:
    return slotOf(static_cast<float>(value));
  case Type::E4M3:
    return static_cast<uint64_t>(kE4M3[std::abs(value)] | (value < 0 ? 0x80 : 0));
  case Type::E5M2:
    return static_cast<uint64_t>(kE5M2[std::abs(value)] | (value < 0 ? 0x80 : 0));
  case Type::F64:
    return slotOf(static_cast<double>(value));
  case Type::S8:
  case Type::U8:
    return static_cast<uint8_t>(value);
  case Type::S32:
    return static_cast<uint32_t>(value);
  }
  return 0;
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_EMULATOR_MMATYPES_H
