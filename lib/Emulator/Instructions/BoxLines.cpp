#include "BoxLines.h"

#include <cstring>

namespace tilewright::emulator {

using runtime::DataType;
using runtime::TensorMap;

namespace {

constexpr uint64_t kChunk = 16; // what a swizzle moves in one piece
constexpr uint64_t kMostLineBytes = 256 * 8;

/// Fills a line with zeros or NaN.
void fill(const TensorMap &map, unsigned char *line) {
  uint64_t bytes = lineBytes(map), size = bytesOf(map.type);
  std::memset(line, 0, bytes);
  if (map.fill == runtime::BoxFill::Zeros) {
    return;
  }
  // All bits but the sign are ones. Numbers are little-endian.
  std::memset(line, 0xff, bytes);
  for (uint64_t last = size - 1; last < bytes; last += size) {
    line[last] = 0x7f;
  }
}

/// Calls visit(offset in the line, address in shared memory) for each 16 bytes of a line.
template <typename Visit> void forChunks(const BoxCopy &copy, const BoxLine &line, Visit &&visit) {
  for (uint64_t at = 0; at < lineBytes(copy.map); at += kChunk) {
    visit(at, copy.shared + runtime::swizzled(copy.map.swizzle, line.offset + at));
  }
}

} // namespace

void loadBox(const BoxCopy &copy) {
  forLines(copy, [&](const BoxLine &line) {
    unsigned char bytes[kMostLineBytes];
    fill(copy.map, bytes);
    if (line.bytes > 0) {
      std::memcpy(bytes + line.before, reinterpret_cast<const void *>(line.address), line.bytes);
    }
    forChunks(copy, line, [&](uint64_t at, uint64_t address) {
      std::memcpy(reinterpret_cast<void *>(address), bytes + at, kChunk);
    });
  });
}

std::vector<unsigned char> readBox(const BoxCopy &copy) {
  std::vector<unsigned char> bytes(copy.map.boxBytes());
  forLines(copy, [&](const BoxLine &line) {
    forChunks(copy, line, [&](uint64_t at, uint64_t address) {
      std::memcpy(bytes.data() + line.offset + at, reinterpret_cast<const void *>(address), kChunk);
    });
  });
  return bytes;
}

void writeBox(const BoxCopy &copy, const std::vector<unsigned char> &bytes) {
  forLines(copy, [&](const BoxLine &line) {
    if (uint64_t size = storedBytes(line, copy.map); size > 0) {
      std::memcpy(reinterpret_cast<void *>(line.address), bytes.data() + line.offset + line.before, size);
    }
  });
}

} // namespace tilewright::emulator
