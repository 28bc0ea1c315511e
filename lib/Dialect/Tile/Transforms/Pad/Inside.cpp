#include "Inside.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::tile {

SmallVector<int64_t> padded(ArrayRef<int64_t> sizes) {
  return llvm::map_to_vector(sizes, [](int64_t size) { return int64_t(llvm::PowerOf2Ceil(size)); });
}

Type padded(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.clone(padded(tile.getShape())) : type;
}

Value splatConstant(OpBuilder &builder, Location loc, RankedTensorType type, Attribute value) {
  return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
}

Value splatInteger(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape, int64_t value) {
  auto type = RankedTensorType::get(shape, builder.getI32Type());
  return splatConstant(builder, loc, type, builder.getI32IntegerAttr(value));
}

/// A tile of rank 1 as one that varies along dimension `axis` of a larger shape.
static Value spread(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape, int64_t axis) {
  int64_t rank = shape.size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim != axis) {
      value = ExpandDimsOp::create(builder, loc, value, dim);
    }
  }
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  return value.getType() == type ? value : BroadcastOp::create(builder, loc, type, value).getResult();
}

static Value range(OpBuilder &builder, Location loc, int64_t size) {
  return MakeRangeOp::create(builder, loc, 0, size);
}

Value positionsAlong(OpBuilder &builder, Location loc, ArrayRef<int64_t> paddedSizes, int64_t axis) {
  return spread(builder, loc, range(builder, loc, paddedSizes[axis]), paddedSizes, axis);
}

Value isInside(OpBuilder &builder, Location loc, ArrayRef<int64_t> sizes, std::optional<int64_t> axis) {
  SmallVector<int64_t> shape = padded(sizes);
  Value inside;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (size == shape[dim] || (axis && *axis != int64_t(dim))) {
      continue;
    }
    // Compared before it is broadcast, so that axis analysis sees along which dimension the mask is constant.
    Value end = splatInteger(builder, loc, {shape[dim]}, size);
    Value less = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, range(builder, loc, shape[dim]), end);
    Value along = spread(builder, loc, less, shape, dim);
    inside = inside ? arith::AndIOp::create(builder, loc, inside, along).getResult() : along;
  }
  return inside;
}

Value selectInside(OpBuilder &builder, Location loc, Value inside, Value value, Attribute outside) {
  if (!inside) {
    return value;
  }
  auto type = cast<RankedTensorType>(value.getType());
  return arith::SelectOp::create(builder, loc, inside, value, splatConstant(builder, loc, type, outside));
}

} // namespace tilewright::tile
