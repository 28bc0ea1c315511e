// Tiles whose elements are all equal.

#include "Uniform.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

static SplatElementsAttr getSplatConstant(Value value) {
  SplatElementsAttr attr;
  return matchPattern(value, m_Constant(&attr)) ? attr : nullptr;
}

bool tile::isUniform(Value value) { return value.getDefiningOp<SplatOp>() || getSplatConstant(value); }

Value tile::getUniformScalar(OpBuilder &builder, Value value) {
  if (auto splat = value.getDefiningOp<SplatOp>()) {
    return splat.getSrc();
  }
  auto scalar = cast<TypedAttr>(getSplatConstant(value).getSplatValue<Attribute>());
  return arith::ConstantOp::create(builder, value.getLoc(), scalar);
}

Value tile::resizeUniform(OpBuilder &builder, Value value, RankedTensorType like) {
  RankedTensorType type = like.clone(getElementType(value.getType()));
  if (auto splat = value.getDefiningOp<SplatOp>()) {
    return SplatOp::create(builder, value.getLoc(), type, splat.getSrc());
  }
  return arith::ConstantOp::create(builder, value.getLoc(), getSplatConstant(value).resizeSplat(type));
}
