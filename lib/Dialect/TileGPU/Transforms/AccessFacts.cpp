#include "AccessFacts.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Hardware/Nvidia.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Atomics combine one word at a time.
static constexpr int64_t kAtomicBytes = 4;

static AccessKind kindOf(Operation *op) {
  if (isa<tile::StoreOp>(op)) {
    return AccessKind::Store;
  }
  return isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op) ? AccessKind::Atomic : AccessKind::Load;
}

/// Longest runs first; where they are equal, row-major.
static layout::Order orderOf(const AxisInfo &info) {
  layout::Order order = layout::rowMajorOrder(static_cast<int>(info.getRank()));
  auto rank = [&](int dim) { return std::pair(info.getContiguity(dim), dim); };
  llvm::sort(order, [&](int l, int r) { return rank(l) > rank(r); });
  return order;
}

/// As many as lie behind each other, are aligned and take part together.
static int64_t vectorOf(const AccessFacts &facts, const AxisFacts &pointers, int64_t uniformMask) {
  int64_t bytes = facts.kind == AccessKind::Atomic ? kAtomicBytes : hardware::kVectorBytes;
  int64_t vector = std::max<int64_t>(1, bytes / facts.elementBytes);
  vector = std::min({vector, facts.run, uniformMask});
  while (vector > 1 && pointers.divisibilityAt(vector) < vector * facts.elementBytes) {
    vector /= 2;
  }
  return vector;
}

std::optional<AccessFacts> tilegpu::factsOf(tile::MemoryAccessOpInterface access, AxisInfoAnalysis &axis) {
  auto type = dyn_cast<RankedTensorType>(access.getPtr().getType());
  if (!type) {
    return std::nullopt;
  }
  const AxisInfo &info = axis.get(access.getPtr());
  AccessFacts facts;
  facts.kind = kindOf(access);
  facts.shape = layout::Shape(type.getShape());
  facts.order = orderOf(info);
  int fastest = facts.order.front();
  facts.run = info.getContiguity(fastest);
  facts.elementBytes = bytesOf(cast<tile::PtrType>(type.getElementType()).getPointee());
  Value mask = access.getMask();
  bool masked = mask && isa<RankedTensorType>(mask.getType());
  int64_t uniformMask = masked ? axis.get(mask).getConstancy(fastest) : facts.shape[fastest];
  facts.vector = vectorOf(facts, info[fastest], uniformMask);
  return facts;
}
