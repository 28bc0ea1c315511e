// The bounds of the kernel's memory, and the names of addresses in reports.

#include "Bounds.h"

#include <algorithm>

namespace tilewright::emulator {

using runtime::contains;

static runtime::ByteRange rangeOf(const Bytes &bytes) { return {bytes.address, bytes.count}; }

void Bounds::begin(const Block &block) {
  shared.begin = reinterpret_cast<uint64_t>(block.shared);
  shared.end = shared.begin + static_cast<uint64_t>(launch.kernel.sharedBytes);
}

bool Bounds::hold(const Bytes &bytes) {
  if (bytes.space == MemorySpace::Shared) {
    return contains(shared.begin, shared.end, rangeOf(bytes));
  }
  const std::vector<Tensor> &tensors = launch.tensors;
  if (recent < tensors.size() && contains(tensors[recent].begin, tensors[recent].end, rangeOf(bytes))) {
    return true;
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (contains(tensors[i].begin, tensors[i].end, rangeOf(bytes))) {
      recent = i;
      return true;
    }
  }
  const Tensor *near = nearest(bytes);
  bool isElsewhere = !near || bytes.address >= near->end ||
                     (bytes.address < near->begin && near->begin - bytes.address >= bytes.count);
  return !launch.tensorsKnown && isElsewhere;
}

size_t Bounds::memoryOf(uint64_t address) const {
  const std::vector<Tensor> &tensors = launch.tensors;
  size_t found = tensors.size();
  uint64_t begin = address, end = address + 1;
  // Walk backward, and extend the range by each tensor that overlaps it, so that the first of those that overlap is
  // found.
  for (size_t i = tensors.size(); i-- > 0;) {
    if (tensors[i].begin < end && begin < tensors[i].end) {
      found = i;
      begin = std::min<uint64_t>(begin, tensors[i].begin);
      end = std::max<uint64_t>(end, tensors[i].end);
    }
  }
  return found;
}

KnownPlaces Bounds::placesAround(const Bytes &bytes) const {
  auto placesIn = [&](uint64_t begin, uint64_t end) {
    return contains(begin, end, rangeOf(bytes)) ? KnownPlaces{begin, end - begin - bytes.count + 1} : KnownPlaces();
  };
  if (bytes.space == MemorySpace::Shared) {
    return placesIn(shared.begin, shared.end);
  }
  const Tensor *tensor = nearest(bytes);
  return tensor ? placesIn(tensor->begin, tensor->end) : KnownPlaces();
}

const Tensor *Bounds::nearest(const Bytes &bytes) const {
  return bytes.space == MemorySpace::Shared ? &shared : runtime::nearestExtent(launch.tensors, rangeOf(bytes));
}

std::string Bounds::nameOf(const Bytes &bytes) const { return runtime::nameAddress(nearest(bytes), rangeOf(bytes)); }

std::string Bounds::distanceOf(const Bytes &bytes) const {
  if (bytes.space == MemorySpace::Global) {
    return runtime::describeDistance(nearest(bytes), rangeOf(bytes));
  }
  Tensor memory = shared;
  memory.name = "shared memory";
  return runtime::describeDistance(&memory, rangeOf(bytes));
}

} // namespace tilewright::emulator
