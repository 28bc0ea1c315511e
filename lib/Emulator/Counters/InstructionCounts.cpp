#include "InstructionCounts.h"

#include <algorithm>

namespace tilewright::emulator {

InstructionCounts::InstructionCounts(size_t sites, int threads, int lanes)
    : lanesOfWarp(lanes), width(static_cast<size_t>(threads + lanes - 1) / lanes * lanes),
      rowOf(sites * kInstructionClasses, -1) {}

int32_t InstructionCounts::addRow(size_t site, InstructionClass kind) {
  rows.push_back({site, kind});
  counts.resize(rows.size() * width);
  return static_cast<int32_t>(rows.size() - 1);
}

void InstructionCounts::finish(std::vector<SiteCounts> &sites) {
  for (size_t row = 0; row < rows.size(); ++row) {
    int64_t &sum = sites[rows[row].site].instructions[static_cast<size_t>(rows[row].kind)];
    for (size_t warp = 0; warp < width; warp += lanesOfWarp) {
      const int64_t *lanes = &counts[row * width + warp];
      sum += *std::max_element(lanes, lanes + lanesOfWarp);
    }
  }
  std::fill(counts.begin(), counts.end(), 0);
}

} // namespace tilewright::emulator
