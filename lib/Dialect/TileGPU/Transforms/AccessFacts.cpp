#include "AccessFacts.h"

#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// An atomic instruction operates on one 32-bit word.
static constexpr int64_t kAtomicBytes = 4;

/// Longest runs first; where they are equal, row-major.
static layout::Order orderOf(tile::MemoryAccessOpInterface access, int64_t rank) {
  layout::Order order = layout::rowMajorOrder(static_cast<int>(rank));
  auto priority = [&](int dim) { return std::pair(contiguityOf(access, dim), dim); };
  llvm::sort(order, [&](int l, int r) { return priority(l) > priority(r); });
  return order;
}

std::optional<AccessFacts> tilegpu::factsOf(tile::MemoryAccessOpInterface access) {
  auto type = dyn_cast<RankedTensorType>(access.getPtr().getType());
  if (!type) {
    return std::nullopt;
  }
  AccessFacts facts;
  facts.kind = access.getAccessKind();
  facts.shape = layout::Shape(type.getShape());
  facts.order = orderOf(access, type.getRank());
  facts.run = contiguityOf(access, facts.order.front());
  facts.vector = vectorWidthOf(access, facts.order.front());
  facts.elementBytes = bytesOf(cast<tile::PtrType>(type.getElementType()).getPointee());
  if (facts.kind == AccessKind::Atomic) {
    facts.vector = std::min(facts.vector, std::max<int64_t>(1, kAtomicBytes / facts.elementBytes));
  }
  return facts;
}
