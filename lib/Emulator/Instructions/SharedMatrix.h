// The operands of wgmma in shared memory, which a descriptor describes.
//
//     bits 0-13   start address >> 4        bits 49-51  base offset
//     bits 16-29  leading offset >> 4       bits 62-63  swizzle: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes
//     bits 32-45  stride offset >> 4
//
// PTX ISA 9.7.15.5.1 "Register Fragments and Shared Memory Matrix Layouts". The element in row `mn` (of A, or column of
// B) and at position k lies at this offset from the start; `chunk` counts 16 bytes, and S is the swizzle's size:
//
//     K-major    no swizzle  mn % 8 * 16 + mn / 8 * stride + chunk of k * leading
//                swizzled    mn % 8 * S  + mn / 8 * stride + chunk of k * 16
//     MN-major   no swizzle  k % 8 * 16  + k / 8 * leading + chunk of mn * stride
//                swizzled    k % 8 * S   + k / 8 * stride  + (chunk of mn % (S / 16)) * 16
//                                                          + (chunk of mn / (S / 16)) * leading
//
// A swizzle exchanges the chunks of a row: the bits of the address from 4 up are xored with those from 7 up, one bit
// for 32 bytes, two for 64, three for 128.

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTIONS_SHAREDMATRIX_H
#define TILEWRIGHT_EMULATOR_INSTRUCTIONS_SHAREDMATRIX_H

#include <cstdint>

namespace tilewright::emulator {

class SharedMatrix {
public:
  static constexpr int kChunkBytes = 16;
  /// Descriptors have the low bits of an address only.
  static constexpr uint64_t kWindow = 1 << 18;

  SharedMatrix(uint64_t descriptor, bool isTransposed, int elementBytes)
      : descriptor(descriptor), isTransposed(isTransposed), elementBytes(elementBytes) {}

  /// The bytes of a row of the swizzle's pattern; 16 without a swizzle.
  uint64_t rowBytes() const;
  uint64_t start() const { return field(0); }
  unsigned baseOffset() const { return descriptor >> 49 & 7; }
  bool isSwizzled() const { return rowBytes() > kChunkBytes; }
  /// A swizzle's pattern takes eight rows, and begins at a multiple of its size.
  uint64_t patternBytes() const { return 8 * rowBytes(); }
  /// Whether the matrix starts in the first row of a pattern.
  bool startsAtPattern() const { return !isSwizzled() || start() % patternBytes() < rowBytes(); }
  bool hasUnknownBits() const;

  /// The address, modulo kWindow, of the 16 bytes that contain the element.
  uint64_t chunkOf(int mn, int k) const;
  /// The element's place in them, in elements.
  int placeInChunk(int mn, int k) const { return (isTransposed ? mn : k) % perChunk(); }
  int perChunk() const { return kChunkBytes / elementBytes; }

  const uint64_t descriptor;
  const bool isTransposed; ///< MN-major
  const int elementBytes;

private:
  uint64_t field(int bit) const { return (descriptor >> bit & 0x3fff) << 4; }
  uint64_t leading() const { return field(16); }
  uint64_t stride() const { return field(32); }
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTIONS_SHAREDMATRIX_H
