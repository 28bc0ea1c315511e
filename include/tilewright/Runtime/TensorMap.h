// A tensor map describes an array in global memory, and the box of it that one bulk copy moves. It has the parameters
// of cuTensorMapEncodeTiled (CUDA driver API, "Tensor Map Object Management"), without interleaving and with element
// strides of one.
//
//     dimension     0 (innermost)     1            2            ...    from 1 to 5 dimensions
//     extents       columns           rows         matrices            in elements
//     strides       one element       strides[1]   strides[2]          in bytes
//     box           the extents of what a copy moves, in elements
//
// A copy names the first element of its box by coordinates, which may be negative or beyond the extents: elements
// outside of the array are read as the fill, and not written.
//
// NVIDIA's driver encodes a tensor map for the hardware. For emulated GPUs `encode` does, in a format of our own.

#ifndef TILEWRIGHT_RUNTIME_TENSORMAP_H
#define TILEWRIGHT_RUNTIME_TENSORMAP_H

#include "tilewright/Runtime/DataType.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::runtime {

/// Which bits of an address in shared memory are xored with which higher bits, named by its span in bytes: the width of
/// the lines of a box whose 16-byte pieces are permuted.
enum class BoxSwizzle : uint8_t { None = 0, Bytes32 = 32, Bytes64 = 64, Bytes128 = 128 };

/// What a copy writes to shared memory for elements outside of the array.
enum class BoxFill : uint8_t { Zeros, NaN };

struct TensorMap {
  static constexpr unsigned kMaxRank = 5;

  DataType type = DataType::FP32;
  unsigned rank = 0;
  uint64_t address = 0;                     ///< of the element whose coordinates are zeros, in global memory
  std::array<uint64_t, kMaxRank> extents{}; ///< of the array, in elements, the innermost dimension first
  std::array<uint64_t, kMaxRank> strides{}; ///< from one index to the next, in bytes; that of dimension 0 is not used
  std::array<uint32_t, kMaxRank> box{};     ///< the extents of a box, in elements
  BoxSwizzle swizzle = BoxSwizzle::None;
  BoxFill fill = BoxFill::Zeros;

  /// The number of bytes that a copy of a box writes to shared memory, and that its barrier counts.
  uint64_t boxBytes() const;
  /// The alignment in bytes that a box needs in shared memory: where the pattern of the swizzle begins.
  unsigned boxAlignment() const;

  bool operator==(const TensorMap &other) const;
};

/// The offset in bytes, from an address at which the pattern begins, of what has `offset` without the swizzle:
///
///     Bytes32    bit  4        is xored with bit  7
///     Bytes64    bits 4 and 5  are xored with bits 7 and 8
///     Bytes128   bits 4 to 6   are xored with bits 7 to 9
uint64_t swizzled(BoxSwizzle swizzle, uint64_t offset);

/// The reason why the hardware can't take the map, as a sentence without a full stop; nothing if it can. Strides need
/// not grow with the dimensions: hardware also takes transposed and overlapping arrays.
std::optional<std::string> invalid(const TensorMap &map);

/// "64 x 32 of 512 x 1024 fp16 at 0x7f0000001000, strides 1024", the innermost dimension first; for messages.
std::string describe(const TensorMap &map);

/// A tensor map as a kernel's parameter has it.
struct alignas(64) EncodedTensorMap {
  static constexpr size_t kBytes = 128;
  std::array<std::byte, kBytes> bytes{};
};
static_assert(sizeof(EncodedTensorMap) == EncodedTensorMap::kBytes);

/// The map in the format of emulated GPUs. Requires a rank of at most `kMaxRank`.
EncodedTensorMap encode(const TensorMap &map);
/// The map that `encode` wrote to the 128 bytes at `bytes`; nothing if they are anything else.
std::optional<TensorMap> decode(const void *bytes);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_TENSORMAP_H
