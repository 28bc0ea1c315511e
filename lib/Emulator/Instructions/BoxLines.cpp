#include "BoxLines.h"

#include "AtomicValues.h"

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

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Changes an element of memory.
using Reduce = void (*)(uint64_t address, const unsigned char *operand);

template <typename Word, Change change> void reduce(uint64_t address, const unsigned char *operand) {
  Word word;
  std::memcpy(&word, operand, sizeof(word));
  uint64_t slot = word;
  apply<Word, change>(address, &slot);
}

Reduce sumOf(DataType type) {
  switch (type) {
  case DataType::FP32:
    return reduce<uint32_t, add<float>>; // unlike atom.add.f32, it keeps subnormal numbers
  case DataType::FP16:
    return reduce<uint16_t, addOf<addHalf>>;
  case DataType::BF16:
    return reduce<uint16_t, addOf<addBfloat>>;
  default:
    return reduce<uint32_t, add<uint32_t>>;
  }
}

Reduce reductionOf(BoxReduction reduction, DataType type) {
  switch (reduction) {
  case BoxReduction::Add:
    return sumOf(type);
  case BoxReduction::And:
    return reduce<uint32_t, bitAnd>;
  case BoxReduction::Or:
    return reduce<uint32_t, bitOr>;
  case BoxReduction::Xor:
    break;
  }
  return reduce<uint32_t, bitXor>;
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
  Reduce reduce = copy.reduction ? reductionOf(*copy.reduction, copy.map.type) : nullptr;
  forLines(copy, [&](const BoxLine &line) {
    uint64_t size = storedBytes(line, copy.map);
    const unsigned char *from = bytes.data() + line.offset + line.before;
    for (uint64_t at = 0; reduce && at < size; at += bytesOf(copy.map.type)) {
      reduce(line.address + at, from + at);
    }
    if (!reduce && size > 0) {
      std::memcpy(reinterpret_cast<void *>(line.address), from, size);
    }
  });
}

} // namespace tilewright::emulator
