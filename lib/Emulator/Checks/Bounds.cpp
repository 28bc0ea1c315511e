// What memory there is, and how an address is called in reports.

#include "Bounds.h"

#include <cstdio>

namespace tilewright::emulator {

// Sums of wild addresses could wrap around, differences inside of what there is do not.
static bool lies(const Bytes &bytes, uint64_t begin, uint64_t end) {
  return bytes.address >= begin && bytes.address <= end && bytes.count <= end - bytes.address;
}

/// How many bytes lie between two ranges; 0 if they touch or overlap.
static uint64_t gap(const Bytes &bytes, uint64_t begin, uint64_t end) {
  if (bytes.address >= end) {
    return bytes.address - end;
  }
  bool isBefore = bytes.address < begin && begin - bytes.address > bytes.count;
  return isBefore ? begin - bytes.address - bytes.count : 0;
}

void Bounds::begin(const Block &block) {
  sharedBegin = reinterpret_cast<uint64_t>(block.shared);
  sharedEnd = sharedBegin + static_cast<uint64_t>(launch.kernel.sharedBytes);
}

bool Bounds::hold(const Bytes &bytes) {
  if (bytes.space == MemorySpace::Shared) {
    return lies(bytes, sharedBegin, sharedEnd);
  }
  const std::vector<Tensor> &tensors = launch.tensors;
  if (recent < tensors.size() && lies(bytes, tensors[recent].begin, tensors[recent].end)) {
    return true;
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (lies(bytes, tensors[i].begin, tensors[i].end)) {
      recent = i;
      return true;
    }
  }
  const Tensor *near = nearest(bytes);
  bool isElsewhere = !near || bytes.address >= near->end ||
                     (bytes.address < near->begin && near->begin - bytes.address >= bytes.count);
  return !launch.tensorsKnown && isElsewhere;
}

const Tensor *Bounds::nearest(const Bytes &bytes) const {
  const Tensor *best = nullptr;
  for (const Tensor &tensor : launch.tensors) {
    if (lies({bytes.space, bytes.address, 1}, tensor.begin, tensor.end)) {
      return &tensor;
    }
    if (!best || gap(bytes, tensor.begin, tensor.end) < gap(bytes, best->begin, best->end)) {
      best = &tensor;
    }
  }
  return best;
}

std::string Bounds::nameOf(const Bytes &bytes) const {
  constexpr uint64_t kNear = 1 << 20;
  std::string name = "shared";
  uint64_t begin = sharedBegin, end = sharedEnd;
  if (bytes.space == MemorySpace::Global) {
    const Tensor *tensor = nearest(bytes);
    name = tensor ? tensor->name : "";
    begin = tensor ? tensor->begin : 0;
    end = tensor ? tensor->end : 0;
  }
  if (name.empty() || gap(bytes, begin, end) > kNear) {
    char text[24];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(bytes.address));
    return text;
  }
  return bytes.address < begin ? name + "-" + std::to_string(begin - bytes.address)
                               : name + "+" + std::to_string(bytes.address - begin);
}

static std::string bytesText(uint64_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

/// How bytes lie to a memory [begin, end) called `name`, in which they are not as a whole.
static std::string relation(const Bytes &bytes, uint64_t begin, uint64_t end, const std::string &name) {
  std::string size = ", which has " + bytesText(end - begin);
  if (bytes.address < begin) {
    uint64_t before = begin - bytes.address;
    return before < bytes.count
               ? "the first " + std::to_string(before) + " of them before the beginning of " + name + size
               : bytesText(before) + " before the beginning of " + name + size;
  }
  if (bytes.address < end) {
    return "the last " + std::to_string(bytes.count - (end - bytes.address)) + " of them after the end of " + name +
           size;
  }
  return (bytes.address == end ? "right" : bytesText(bytes.address - end)) + " after the end of " + name + size;
}

std::string Bounds::distanceOf(const Bytes &bytes) const {
  if (bytes.space == MemorySpace::Shared) {
    return relation(bytes, sharedBegin, sharedEnd, "shared memory");
  }
  const Tensor *tensor = nearest(bytes);
  return tensor ? relation(bytes, tensor->begin, tensor->end, tensor->name) : "where the kernel was given no memory";
}

uint64_t Bounds::sharedOffset(uint64_t address) const {
  uint64_t size = sharedEnd - sharedBegin;
  return address >= sharedBegin && address < sharedEnd ? address - sharedBegin : size;
}

} // namespace tilewright::emulator
