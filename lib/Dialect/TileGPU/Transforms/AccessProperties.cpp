#include "AccessProperties.h"

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

std::optional<AccessProperties> tilegpu::propertiesOf(tile::MemoryAccessOpInterface access) {
  auto type = dyn_cast<RankedTensorType>(access.getPtr().getType());
  if (!type) {
    return std::nullopt;
  }
  AccessProperties properties;
  properties.kind = access.getAccessKind();
  properties.shape = layout::Shape(type.getShape());
  properties.order = orderOf(access, type.getRank());
  properties.run = contiguityOf(access, properties.order.front());
  properties.vector = vectorWidthOf(access, properties.order.front());
  properties.elementBytes = bytesOf(cast<tile::PtrType>(type.getElementType()).getPointee());
  if (properties.kind == AccessKind::Atomic) {
    properties.vector = std::min(properties.vector, std::max<int64_t>(1, kAtomicBytes / properties.elementBytes));
  }
  return properties;
}
