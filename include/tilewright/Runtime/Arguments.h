// The arguments of a kernel: the extents of arrays, and the conversion of numbers to the bits of 8-byte slots.

#ifndef TILEWRIGHT_RUNTIME_ARGUMENTS_H
#define TILEWRIGHT_RUNTIME_ARGUMENTS_H

#include "tilewright/Runtime/DataType.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tilewright::runtime {

/// The bytes [begin, end) that contain an array's elements.
struct Extent {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

/// The extent of an array of `rank` dimensions whose strides count `strideUnit` bytes and may be
/// negative; without strides (nullptr) the array is contiguous with the last dimension fastest.
/// An array without elements has an empty extent, at its address.
Extent extentOf(uintptr_t address, unsigned rank, const int64_t *shape, const int64_t *strides, int64_t strideUnit,
                unsigned itemBytes);

/// Whether no two of the extents overlap. Empty extents do not overlap with others.
bool pairwiseDisjoint(const Extent *extents, size_t count);

/// An integer argument: 64 bits that are signed, or unsigned if the value is above the range of int64.
struct IntegerValue {
  uint64_t bits = 0;
  bool beyondInt64 = false;
};

/// The narrowest of i32, i64, u64 that holds the value.
DataType narrowestType(IntegerValue value);
/// Whether `type` can hold the value.
bool fits(IntegerValue value, DataType type);

/// The bits of a floating-point argument in `type` (fp16, bf16, fp32 or fp64), rounded to nearest even.
uint64_t floatBits(double value, DataType type);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ARGUMENTS_H
