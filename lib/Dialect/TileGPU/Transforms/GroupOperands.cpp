#include "GroupOperands.h"

#include "OperandPath.h"
#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"
#include "tilewright/Layout/Shared.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// The load from which a tile is computed element by element; null if there is none.
static tile::LoadOp loadOf(Value tile) {
  while (Operation *op = tile.getDefiningOp()) {
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      return load;
    }
    bool keepsPlaces = isa<ConvertLayoutOp>(op) || (isCheapUnary(op) && op->hasTrait<OpTrait::Elementwise>());
    if (!keepsPlaces) {
      return {};
    }
    tile = op->getOperand(0);
  }
  return {};
}

static std::optional<int> fastestDim(tile::LoadOp load) {
  layout::VectorAccess access = vectorAccessOf(load);
  if (access.elements() == 1) {
    return std::nullopt;
  }
  const layout::LinearLayout &map = mapOf(load.getResult());
  layout::LinearLayout::Point next =
      map.unpackOut(map.columns()[map.inStart(layout::kRegister) + access.registerBits.front()]);
  auto dim = llvm::find_if(next, [](int64_t at) { return at != 0; });
  return static_cast<int>(dim - next.begin());
}

OperandSource::OperandSource(Value operand) : tile(operand) {
  while (Operation *op = tile.getDefiningOp()) {
    bool isTrans = isa<tile::TransOp>(op);
    if (!isTrans && !isa<ConvertLayoutOp>(op)) {
      break;
    }
    // A transposition of a matrix exchanges its dimensions, or does nothing.
    isTransposed ^= isTrans && cast<tile::TransOp>(op).getOrder()[0] == 1;
    tile = op->getOperand(0);
  }
  if (tile::LoadOp load = loadOf(tile)) {
    fastest = fastestDim(load);
  }
}

static int64_t elementBytes(Value tile) { return bytesOf(cast<RankedTensorType>(tile.getType()).getElementType()); }

bool isWidened(Value operand) {
  tile::LoadOp load = loadOf(OperandSource(operand).tile);
  return load && elementBytes(load.getResult()) < elementBytes(operand);
}

std::optional<int> swizzleOf(int64_t rowBytes) {
  constexpr int64_t kLeast = 32, kMost = 128;
  return rowBytes < kLeast ? std::nullopt : std::optional(static_cast<int>(std::min(rowBytes, kMost)));
}

BufferType groupBuffer(RankedTensorType tile, int along) {
  int64_t bytes = bytesOf(tile.getElementType());
  std::optional<int> swizzle = tile.getRank() == 2 ? swizzleOf(tile.getDimSize(along) * bytes) : std::nullopt;
  if (!swizzle) {
    return {};
  }
  layout::LinearLayout map = layout::nvmmaShared(layout::Shape(tile.getShape()), static_cast<int>(8 * bytes), *swizzle,
                                                 /*transposed=*/along == 0);
  return BufferType::get(tile, LayoutAttr::get(tile.getContext(), map));
}

} // namespace tilewright::tilegpu
