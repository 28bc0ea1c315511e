#include "CostModel.h"

#include "tilewright/Layout/VectorAccess.h"

using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

static constexpr Cost kLine = 4;
static constexpr Cost kWrittenSector = 6;
static constexpr int64_t kLineBytes = 128;
static constexpr int64_t kSectorBytes = 32;

/// Blocks of `bytes` that the lanes of a warp touch: lanes fall into one block as far as a run of
/// consecutive addresses and the block reach.
static int64_t blocksOfWarp(const AccessFacts &facts, const LinearLayout &map, int64_t bytes) {
  int64_t together = std::min(facts.run, std::max<int64_t>(1, bytes / facts.elementBytes));
  uint64_t inside = static_cast<uint64_t>(together - 1) << map.outStart(layout::dimName(facts.order.front()));
  layout::Columns lanes = map.columnsOf(layout::kLane);
  for (uint64_t &lane : lanes) {
    lane &= ~inside;
  }
  return int64_t(1) << layout::rank(lanes);
}

/// Warps that write: those with copies do not.
static int64_t writingWarps(const LinearLayout &map) {
  return int64_t(1) << layout::rank(map.columnsOf(layout::kWarp));
}

Cost tilegpu::accessCost(const AccessFacts &facts, const LinearLayout &map) {
  std::string fastest = layout::dimName(facts.order.front());
  int64_t vector = layout::widestAccess(map, fastest, facts.vector).elements();
  int64_t accesses = map.inSize(layout::kRegister) / vector;
  Cost lines = kLine * blocksOfWarp(facts, map, kLineBytes);
  if (facts.kind == AccessKind::Load) {
    return lines * accesses * map.inSize(layout::kWarp);
  }
  Cost sectors = kWrittenSector * blocksOfWarp(facts, map, kSectorBytes);
  return (lines + sectors) * accesses * writingWarps(map);
}
