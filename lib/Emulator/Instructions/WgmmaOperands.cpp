#include "WgmmaOperands.h"

#include "WgmmaIssue.h"

#include "tilewright/Emulator/Checker.h"

#include <cstring>

namespace tilewright::emulator {

/// Reads 16 bytes, or zeros where the kernel has no shared memory.
bool WgmmaPart::readChunk(uint64_t address, unsigned char (&bytes)[SharedMatrix::kChunkBytes]) const {
  Block &block = *call.warp->block;
  uint64_t base = reinterpret_cast<uint64_t>(block.shared);
  uint64_t at = base + (address - base) % SharedMatrix::kWindow;
  constexpr uint32_t count = SharedMatrix::kChunkBytes;
  Access access = {call.thread(0), call.site, AccessKind::Read, MemorySpace::Shared, at, count, count};
  if (!block.checker->readAsync(access, ticketOf(*call.warp))) {
    std::memset(bytes, 0, count);
    return false;
  }
  std::memcpy(bytes, reinterpret_cast<const void *>(at), count);
  return true;
}

void WgmmaPart::readShared(const SharedMatrix &matrix, int first, int count, WgmmaTile &tile) const {
  int size = matrix.elementBytes, perChunk = matrix.perChunk();
  int stepMN = matrix.isTransposed ? perChunk : 1, stepK = matrix.isTransposed ? 1 : perChunk;
  for (int mn = 0; mn < count; mn += stepMN) {
    for (int k = 0; k < shape.k; k += stepK) {
      unsigned char bytes[SharedMatrix::kChunkBytes];
      readChunk(matrix.chunkOf(first + mn, k), bytes);
      for (int i = 0; i < perChunk; ++i) {
        uint32_t &bits = matrix.isTransposed ? tile.bits[mn + i][k] : tile.bits[mn][k + i];
        bits = 0;
        std::memcpy(&bits, bytes + static_cast<ptrdiff_t>(i) * size, size);
      }
    }
  }
}

WgmmaTile WgmmaPart::readRegisters() const {
  WgmmaTile tile;
  int bits = 32 / shape.perWord;
  forA(shape, [&](int lane, int word, int part, int row, int depth) {
    uint64_t slot = call.in[lane][wgmma::kA + word] >> part * bits;
    tile.bits[row][depth] = static_cast<uint32_t>(slot & ((uint64_t(1) << bits) - 1));
  });
  return tile;
}

WgmmaTile WgmmaPart::readA() const {
  if (is(wgmma::kRegistersA)) {
    return readRegisters();
  }
  WgmmaTile tile;
  readShared(matrixA(), firstRow(), shape.m, tile);
  return tile;
}

WgmmaTile WgmmaPart::readB(int column) const {
  WgmmaTile tile;
  readShared(matrixB(), column, kMmaN, tile);
  return tile;
}

} // namespace tilewright::emulator
