#include "tilewright/Runtime/Specialization.h"

namespace tilewright::runtime {

/// Folds the 128-bit product to 64 bits, so that the bits of the inputs are mixed.
static uint64_t fold(uint64_t a, uint64_t b) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t hashKey(std::string_view bytes) {
  constexpr uint64_t odd0 = 0x9e3779b97f4a7c15, odd1 = 0xd1b54a32d192ed03;
  uint64_t state = bytes.size() * odd1;
  const char *at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    state = fold(state ^ word, odd0);
  }
  uint64_t tail = 0;
  std::memcpy(&tail, at, left);
  return fold(state ^ tail, odd1);
}

void KeyBuilder::grow(size_t more) {
  size_t wanted = 2 * capacity + more;
  bool onStack = data == inlineData;
  heap.resize(wanted);
  if (onStack) {
    std::memcpy(heap.data(), inlineData, count);
  }
  data = heap.data();
  capacity = wanted;
}

} // namespace tilewright::runtime
