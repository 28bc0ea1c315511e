#include "MatrixRows.h"

#include "tilewright/Emulator/Counters.h"

#include <cstring>

namespace tilewright::emulator {

uint32_t announceRows(const WarpCall &call, int rows, AccessKind kind) {
  Block &block = *call.warp->block;
  if (block.counters) {
    uint64_t addresses[kLanes];
    for (int lane = 0; lane < rows; ++lane) {
      addresses[lane] = call.in[lane][0];
    }
    block.counters->rows(call.site, kind, addresses, rows);
  }
  uint32_t allowed = kAllLanes;
  for (int lane = 0; lane < rows; ++lane) {
    bool may = block.checker->access(
        {call.thread(lane), call.site, kind, MemorySpace::Shared, call.in[lane][0], kRowBytes, kRowBytes});
    allowed &= ~(uint32_t(!may) << lane);
  }
  return allowed;
}

void loadRow(const WarpCall &call, uint32_t allowed, int lane, void *row) {
  if (allowed >> lane & 1) {
    std::memcpy(row, reinterpret_cast<const void *>(call.in[lane][0]), kRowBytes);
  }
}

void storeRow(const WarpCall &call, uint32_t allowed, int lane, const void *row) {
  if (allowed >> lane & 1) {
    std::memcpy(reinterpret_cast<void *>(call.in[lane][0]), row, kRowBytes);
  }
}

} // namespace tilewright::emulator
