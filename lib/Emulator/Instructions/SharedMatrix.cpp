#include "SharedMatrix.h"

namespace tilewright::emulator {

uint64_t SharedMatrix::rowBytes() const {
  constexpr uint64_t bytes[] = {kChunkBytes, 128, 64, 32};
  return bytes[descriptor >> 62];
}

bool SharedMatrix::hasUnknownBits() const {
  constexpr uint64_t fields =
      0x3fff | uint64_t(0x3fff) << 16 | uint64_t(0x3fff) << 32 | uint64_t(7) << 49 | uint64_t(3) << 62;
  return (descriptor & ~fields) != 0;
}

uint64_t SharedMatrix::chunkOf(int mn, int k) const {
  // Of the two coordinates, `along` is the contiguous one, in chunks.
  uint64_t across = isTransposed ? k : mn, along = (isTransposed ? mn : k) / perChunk();
  uint64_t row = rowBytes(), chunks = row / kChunkBytes;
  uint64_t offset = across % 8 * row;
  if (chunks == 1) {
    offset += isTransposed ? across / 8 * leading() + along * stride() : across / 8 * stride() + along * leading();
    return (start() + offset) % kWindow;
  }
  offset += across / 8 * stride();
  offset += isTransposed ? along % chunks * kChunkBytes + along / chunks * leading() : along * kChunkBytes;
  uint64_t address = (start() + offset) % kWindow;
  return address ^ ((address >> 7 & (chunks - 1)) << 4);
}

} // namespace tilewright::emulator
