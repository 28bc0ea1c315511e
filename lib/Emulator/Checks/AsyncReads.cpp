#include "AsyncReads.h"

#include <algorithm>

namespace tilewright::emulator {

void AsyncReads::begin() {
  if (!offsets.empty()) {
    std::fill(readers.begin(), readers.end(), std::vector<AsyncReader>());
    offsets.clear();
  }
}

void AsyncReads::add(const AsyncReader &reader, uint64_t offset) {
  readers[offset / kUnit].push_back(reader);
  offsets[reader.ticket].push_back(offset);
}

const AsyncReader *AsyncReads::find(uint64_t offset, uint64_t bytes) const {
  if (offsets.empty()) {
    return nullptr;
  }
  for (uint64_t unit = offset / kUnit; unit * kUnit < offset + bytes; ++unit) {
    if (!readers[unit].empty()) {
      return &readers[unit].back();
    }
  }
  return nullptr;
}

std::vector<uint64_t> AsyncReads::end(uint64_t ticket) {
  auto found = offsets.find(ticket);
  if (found == offsets.end()) {
    return {};
  }
  std::vector<uint64_t> read = std::move(found->second);
  offsets.erase(found);
  for (uint64_t offset : read) {
    auto &list = readers[offset / kUnit];
    auto last = std::remove_if(list.begin(), list.end(), [&](const AsyncReader &one) { return one.ticket == ticket; });
    list.erase(last, list.end());
  }
  return read;
}

} // namespace tilewright::emulator
