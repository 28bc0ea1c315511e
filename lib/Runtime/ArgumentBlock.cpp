#include "tilewright/Runtime/ArgumentBlock.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace tilewright::runtime {

static size_t alignTo(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

bool ArgumentBlock::canHold(size_t bytes, size_t alignment) {
  bool isPower = alignment != 0 && (alignment & (alignment - 1)) == 0;
  return isPower && alignment >= kSlotBytes && alignment <= kMostAlignment && bytes != 0 && bytes <= kMostBytes &&
         bytes % alignment == 0;
}

ArgumentBlock::ArgumentBlock(size_t hidden) : origin(alignTo(hidden, kMostAlignment / kSlotBytes)) {
  reserve(0);
  std::fill(words, words + origin, 0);
}

ArgumentBlock::ArgumentBlock(const ArgumentBlock &other, size_t hidden) : ArgumentBlock(hidden) {
  reserve(other.count);
  std::copy_n(other.data(), other.count, data());
  count = other.count;
  byValue = other.byValue;
  padding = other.padding;
}

void ArgumentBlock::append(const void *structure, size_t bytes, size_t alignment) {
  assert(canHold(bytes, alignment));
  size_t slot = alignTo(count, alignment / kSlotBytes), slots = bytes / kSlotBytes;
  reserve(slot + slots);
  std::fill(data() + count, data() + slot, 0);
  if (slot != count) {
    padding.push_back({count, slot - count});
  }
  std::memcpy(data() + slot, structure, bytes);
  byValue.push_back({slot, slots});
  count = slot + slots;
}

std::vector<size_t> ArgumentBlock::leaves() const {
  std::vector<size_t> slots;
  auto structure = byValue.begin(), unused = padding.begin();
  for (size_t slot = 0; slot < count;) {
    if (unused != padding.end() && unused->slot == slot) {
      slot += unused++->slots;
      continue;
    }
    slots.push_back(slot);
    slot += structure != byValue.end() && structure->slot == slot ? structure++->slots : 1;
  }
  return slots;
}

void ArgumentBlock::reserve(size_t slots) {
  size_t wanted = origin + slots;
  if (wanted <= capacity) {
    return;
  }
  constexpr size_t perLine = kMostAlignment / kSlotBytes;
  size_t lines = alignTo(std::max(wanted, 2 * capacity), perLine) / perLine;
  std::unique_ptr<Line[]> grown(new Line[lines]);
  // In the constructor, there may be more hidden slots than the old memory has.
  std::memcpy(static_cast<void *>(grown.get()), words, std::min(origin + count, capacity) * kSlotBytes);
  heap = std::move(grown);
  words = heap[0].words;
  capacity = lines * perLine;
}

} // namespace tilewright::runtime
