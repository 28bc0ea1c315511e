// Folders of the tile dialect.

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright::tile;

/// A splat constant resized to `type`; null if `attr` is not one.
static OpFoldResult resplat(Attribute attr, Type type) {
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(attr)) {
    return splat.resizeSplat(cast<ShapedType>(type));
  }
  return {};
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (Attribute scalar = adaptor.getSrc(); isa_and_nonnull<IntegerAttr, FloatAttr>(scalar)) {
    return SplatElementsAttr::get(cast<ShapedType>(getType()), scalar);
  }
  return {};
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType()) {
    return getSrc();
  }
  return resplat(adaptor.getSrc(), getType());
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return resplat(adaptor.getSrc(), getType()); }

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType()) {
    return getSrc();
  }
  return resplat(adaptor.getSrc(), getType());
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getOrder(), llvm::seq<int32_t>(0, static_cast<int32_t>(getOrder().size())))) {
    return getSrc();
  }
  return resplat(adaptor.getSrc(), getType());
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero())) {
    return getPtr();
  }
  return {};
}

OpFoldResult PtrCastOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType()) {
    return getSrc();
  }
  if (auto inner = getSrc().getDefiningOp<PtrCastOp>()) {
    getSrcMutable().assign(inner.getSrc());
    return getResult();
  }
  return {};
}

/// int_to_ptr(ptr_to_int(x)) -> x, and vice versa.
OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto inverse = getSrc().getDefiningOp<PtrToIntOp>();
  return inverse && inverse.getSrc().getType() == getType() ? inverse.getSrc() : Value();
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto inverse = getSrc().getDefiningOp<IntToPtrOp>();
  return inverse && inverse.getSrc().getType() == getType() ? inverse.getSrc() : Value();
}

/// Everything is known about a splat constant.
OpFoldResult HintOp::fold(FoldAdaptor adaptor) {
  Attribute constant = adaptor.getSrc();
  return isa_and_nonnull<IntegerAttr, SplatElementsAttr>(constant) ? OpFoldResult(constant) : OpFoldResult();
}

LogicalResult SplitOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSrc().getDefiningOp<JoinOp>();
  if (!join) {
    return failure();
  }
  results.assign({join.getLhs(), join.getRhs()});
  return success();
}
