#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"

#include "tilewright/Layout/Shape.h"

using namespace mlir;
using namespace tilewright;

static int64_t entry(DenseI64ArrayAttr known, int64_t dim) { return known ? known[dim] : 1; }

int64_t tilegpu::contiguityOf(tile::MemoryAccessOpInterface access, int64_t dim) {
  return entry(access.getContiguityAttr(), dim);
}

int64_t tilegpu::vectorWidthOf(tile::MemoryAccessOpInterface access, int64_t dim) {
  return entry(access.getVectorWidthAttr(), dim);
}

layout::VectorAccess tilegpu::vectorAccessOf(tile::MemoryAccessOpInterface access) {
  layout::VectorAccess widest;
  auto pointers = dyn_cast<RankedTensorType>(access.getPtr().getType());
  for (int64_t dim = 0; pointers && dim < pointers.getRank(); ++dim) {
    std::string name = layout::dimName(static_cast<int>(dim));
    layout::VectorAccess along = layout::widestAccess(mapOf(pointers), name, vectorWidthOf(access, dim));
    if (along.elements() > widest.elements()) {
      widest = along;
    }
  }
  return widest;
}

layout::VectorAccess tilegpu::copyAccessOf(tile::MemoryAccessOpInterface access, const layout::LinearLayout &offsets) {
  layout::VectorAccess read = vectorAccessOf(access);
  return layout::commonAccess(read, layout::widestAccess(offsets, layout::kOffset, read.elements()));
}
