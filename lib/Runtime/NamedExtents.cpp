#include "tilewright/Runtime/NamedExtents.h"

#include <cstdio>

namespace tilewright::runtime {

// The sum of a wild address and a size could wrap around. The differences computed here do not.
bool contains(uint64_t begin, uint64_t end, const ByteRange &bytes) {
  return bytes.address >= begin && bytes.address <= end && bytes.count <= end - bytes.address;
}

bool crossesEdge(uint64_t begin, uint64_t end, const ByteRange &bytes) {
  if (bytes.address < begin) {
    return begin - bytes.address < bytes.count && begin < end;
  }
  return bytes.address < end && bytes.count > end - bytes.address;
}

/// The number of bytes between two ranges; 0 if they are adjacent or overlap.
static uint64_t gap(const ByteRange &bytes, uint64_t begin, uint64_t end) {
  if (bytes.address >= end) {
    return bytes.address - end;
  }
  bool isBefore = bytes.address < begin && begin - bytes.address > bytes.count;
  return isBefore ? begin - bytes.address - bytes.count : 0;
}

const NamedExtent *nearestExtent(const std::vector<NamedExtent> &arrays, const ByteRange &bytes) {
  const NamedExtent *best = nullptr;
  for (const NamedExtent &array : arrays) {
    if (contains(array.begin, array.end, {bytes.address, 1})) {
      return &array;
    }
    if (!best || gap(bytes, array.begin, array.end) < gap(bytes, best->begin, best->end)) {
      best = &array;
    }
  }
  return best;
}

std::string nameAddress(const NamedExtent *nearest, const ByteRange &bytes) {
  constexpr uint64_t kNear = 1 << 20;
  if (!nearest || gap(bytes, nearest->begin, nearest->end) > kNear) {
    char text[24];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(bytes.address));
    return text;
  }
  return bytes.address < nearest->begin ? nearest->name + "-" + std::to_string(nearest->begin - bytes.address)
                                        : nearest->name + "+" + std::to_string(bytes.address - nearest->begin);
}

std::string countBytes(uint64_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

std::string describeDistance(const NamedExtent *nearest, const ByteRange &bytes) {
  if (!nearest) {
    return "where the kernel was given no memory";
  }
  const auto &[name, begin, end] = *nearest;
  std::string size = ", which has " + countBytes(end - begin);
  if (bytes.address < begin) {
    uint64_t before = begin - bytes.address;
    return before < bytes.count
               ? "the first " + std::to_string(before) + " of them before the beginning of " + name + size
               : countBytes(before) + " before the beginning of " + name + size;
  }
  if (bytes.address < end) {
    return "the last " + std::to_string(bytes.count - (end - bytes.address)) + " of them after the end of " + name +
           size;
  }
  return (bytes.address == end ? "right" : countBytes(bytes.address - end)) + " after the end of " + name + size;
}

} // namespace tilewright::runtime
