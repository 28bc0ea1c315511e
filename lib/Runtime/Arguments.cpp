#include "tilewright/Runtime/Arguments.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <vector>

namespace tilewright::runtime {

Extent extentOf(uintptr_t address, unsigned rank, const int64_t *shape, const int64_t *strides, int64_t strideUnit,
                unsigned itemBytes) {
  int64_t before = 0, after = 0, contiguous = itemBytes;
  for (unsigned dim = rank; dim-- > 0;) {
    if (shape[dim] == 0) {
      return {address, address};
    }
    int64_t stride = strides ? strides[dim] * strideUnit : contiguous;
    int64_t reach = (shape[dim] - 1) * stride;
    (reach < 0 ? before : after) += reach;
    contiguous *= shape[dim];
  }
  return {address + before, address + after + itemBytes};
}

bool pairwiseDisjoint(const Extent *extents, size_t count) {
  auto overlap = [](const Extent &a, const Extent &b) { return std::max(a.begin, b.begin) < std::min(a.end, b.end); };
  if (count <= 16) {
    for (size_t i = 1; i < count; ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (overlap(extents[i], extents[j])) {
          return false;
        }
      }
    }
    return true;
  }
  std::vector<Extent> sorted;
  std::copy_if(extents, extents + count, std::back_inserter(sorted), [](const Extent &e) { return e.begin < e.end; });
  std::sort(sorted.begin(), sorted.end(), [](const Extent &a, const Extent &b) { return a.begin < b.begin; });
  return std::adjacent_find(sorted.begin(), sorted.end(), overlap) == sorted.end();
}

DataType narrowestType(IntegerValue value) {
  if (value.beyondInt64) {
    return DataType::U64;
  }
  int64_t number = static_cast<int64_t>(value.bits);
  return number >= INT32_MIN && number <= INT32_MAX ? DataType::I32 : DataType::I64;
}

bool fits(IntegerValue value, DataType type) {
  if (type == DataType::U64) {
    return value.beyondInt64 || static_cast<int64_t>(value.bits) >= 0;
  }
  if (value.beyondInt64) {
    return false;
  }
  int64_t number = static_cast<int64_t>(value.bits);
  if (type == DataType::I1) {
    return number == 0 || number == 1;
  }
  unsigned bits = bytesOf(type) * 8;
  if (isSigned(type)) {
    return bits == 64 || (number >= -(int64_t(1) << (bits - 1)) && number < (int64_t(1) << (bits - 1)));
  }
  return number >= 0 && number < (int64_t(1) << bits);
}

/// Rounds to a binary format with `mantissa` stored bits and exponents down to `minimum`: scales the value so that the
/// last kept bit has the value one, and rounds to an integer. The rounding mode is to nearest, ties to even.
static double roundTo(double value, int mantissa, int minimum) {
  int exponent = 0;
  std::frexp(value, &exponent);
  int last = std::max(exponent - 1, minimum) - mantissa;
  return std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
}

static uint64_t halfBits(double value) {
  uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isnan(value)) {
    return sign | 0x7e00;
  }
  magnitude = std::isinf(magnitude) ? magnitude : roundTo(magnitude, 10, -14);
  if (magnitude > 65504.0) {
    return sign | 0x7c00;
  }
  if (magnitude < 0x1p-14) {
    return sign | static_cast<uint64_t>(std::ldexp(magnitude, 24));
  }
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // The hidden bit, 1 << 10, adds one to the exponent's field.
  uint64_t fraction = static_cast<uint64_t>(std::ldexp(magnitude, 11 - exponent));
  return sign | ((static_cast<uint64_t>(exponent + 13) << 10) + fraction);
}

template <typename To, typename From> static To bitsOf(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

uint64_t floatBits(double value, DataType type) {
  switch (type) {
  case DataType::FP64:
    return bitsOf<uint64_t>(value);
  case DataType::FP16:
    return halfBits(value);
  case DataType::BF16: {
    bool finite = std::isfinite(value);
    float rounded = static_cast<float>(finite ? roundTo(value, 7, -126) : value);
    // A NaN may carry its payload in bits that bfloat16 lacks.
    return (bitsOf<uint32_t>(rounded) >> 16) | (std::isnan(value) ? 0x40 : 0);
  }
  default:
    return bitsOf<uint32_t>(static_cast<float>(value));
  }
}

} // namespace tilewright::runtime
