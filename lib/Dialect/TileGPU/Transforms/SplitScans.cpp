#include "SplitScans.h"

#include "LineLayouts.h"
#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright::tilegpu {

using layout::LinearLayout;

/// Each thread would hold at least this many elements of a line that all warps scan.
static constexpr int64_t kLeastElements = 8;

static RankedTensorType typeOf(Value tile) { return cast<RankedTensorType>(tile.getType()); }

/// Whether shared memory has room for the last elements of the parts beside a conversion of each operand.
static bool hasRoomForTotals(tile::ScanOp op) {
  int64_t largest = 0, totals = 0;
  for (Value tile : op.getOperands()) {
    int64_t bytes = bytesOf(typeOf(tile).getElementType());
    largest = std::max(largest, bytes * typeOf(tile).getNumElements());
    totals += bytes * threadsOf(op).warps;
  }
  return largest + totals <= targetOf(op).sharedPerBlock;
}

int64_t partsOfLines(tile::ScanOp op) {
  if (!isMemoryEffectFree(op) || !hasRoomForTotals(op)) {
    return 1;
  }
  Threads threads = threadsOf(op);
  layout::Shape shape = layout::shapeOf(mapOf(op.getOperand(0)));
  int64_t length = shape[op.getAxis()], lines = 1;
  for (int64_t size : shape) {
    lines *= size;
  }
  lines /= length;
  bool isLong = length >= kLeastElements * threads.lanes;
  return isLong && lines < threads.warps ? std::min<int64_t>(threads.warps / lines, length / threads.lanes) : 1;
}

namespace {
/// Emits the operations before the scan. Dimension `axis` of tiles is that of the parts, `axis` + 1 that of their
/// elements.
class ScanSplitter {
public:
  ScanSplitter(tile::ScanOp op, int64_t parts);

  void run();

private:
  Value reshape(Value tile, const layout::Shape &shape);
  Value convert(Value tile, const LinearLayout &map);
  Value broadcast(Value tile, int dim, const LinearLayout &map);
  Value indices(const LinearLayout &map, int dim);
  Value equals(Value tile, int64_t number);
  Value only(Value mask, Value tile, int dim);
  SmallVector<Value> scan(ValueRange tiles, int dim);
  SmallVector<Value> combine(ValueRange before, ValueRange inner);

  tile::ScanOp op;
  int axis;
  int64_t parts;
  layout::Shape shape; ///< with the dimension of parts
  LinearLayout whole;  ///< of the divided lines
  OpBuilder builder;
  Location loc;
};
} // namespace

static layout::Shape divided(layout::Shape shape, int axis, int64_t parts) {
  shape[axis] /= parts;
  shape.insert(shape.begin() + axis, parts);
  return shape;
}

ScanSplitter::ScanSplitter(tile::ScanOp op, int64_t parts)
    : op(op), axis(static_cast<int>(op.getAxis())), parts(parts),
      shape(divided(layout::shapeOf(mapOf(op.getOperand(0))), axis, parts)),
      whole(linesInWarps(shape, axis + 1, threadsOf(op))), builder(op), loc(op.getLoc()) {}

Value ScanSplitter::reshape(Value tile, const layout::Shape &shape) {
  auto type = RankedTensorType::get(shape, typeOf(tile).getElementType());
  LinearLayout map = layout::reshaped(mapOf(tile), shape);
  return builder.createOrFold<tile::ReshapeOp>(loc, withLayout(type, map), tile, /*allow_reorder=*/false);
}

Value ScanSplitter::convert(Value tile, const LinearLayout &map) {
  return mapOf(tile) == map ? tile : ConvertLayoutOp::create(builder, loc, withLayout(typeOf(tile), map), tile);
}

/// Repeats the tile along a new dimension, to the layout `map`.
Value ScanSplitter::broadcast(Value tile, int dim, const LinearLayout &map) {
  Type element = typeOf(tile).getElementType();
  layout::Shape one = layout::shapeOf(mapOf(tile));
  one.insert(one.begin() + dim, 1);
  auto expandedType = withLayout(RankedTensorType::get(one, element), layout::insertDim(mapOf(tile), dim));
  Value expanded = tile::ExpandDimsOp::create(builder, loc, expandedType, tile, static_cast<uint32_t>(dim));
  auto type = withLayout(RankedTensorType::get(layout::shapeOf(map), element), map);
  auto broadcast = tile::BroadcastOp::create(builder, loc, type, expanded);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(broadcast);
  broadcast.setOperand(convert(expanded, *operandLayout(broadcast->getOpOperand(0), map)));
  return broadcast;
}

/// The coordinate of each element along `dim`.
Value ScanSplitter::indices(const LinearLayout &map, int dim) {
  layout::Shape sizes = layout::shapeOf(map);
  int64_t all = 1, after = 1;
  for (auto [other, size] : llvm::enumerate(sizes)) {
    all *= size;
    after *= static_cast<int>(other) > dim ? size : 1;
  }
  auto line = withLayout(RankedTensorType::get({all}, builder.getI32Type()), layout::reshaped(map, {all}));
  Value numbers = tile::MakeRangeOp::create(builder, loc, line, 0, static_cast<uint32_t>(all));
  Value tile = convert(reshape(numbers, sizes), map);
  auto each = [&](int64_t number) -> Value {
    auto value = DenseElementsAttr::get(cast<ShapedType>(tile.getType()), builder.getI32IntegerAttr(number));
    return arith::ConstantOp::create(builder, loc, value);
  };
  Value shifted = arith::ShRUIOp::create(builder, loc, tile, each(llvm::Log2_64(after)));
  return arith::AndIOp::create(builder, loc, shifted, each(sizes[dim] - 1));
}

Value ScanSplitter::equals(Value tile, int64_t number) {
  auto value = DenseElementsAttr::get(cast<ShapedType>(tile.getType()), builder.getI32IntegerAttr(number));
  Value constant = arith::ConstantOp::create(builder, loc, value);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, tile, constant);
}

/// The element along `dim` for which the mask holds, if it holds for one at most: the bits of all others are cleared,
/// and united. If it holds for none, all bits are zero.
Value ScanSplitter::only(Value mask, Value tile, int dim) {
  Type element = typeOf(tile).getElementType();
  Type bits = builder.getIntegerType(element.getIntOrFloatBitWidth());
  auto retype = [&](Value value, Type to) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getElementType() == to ? value : arith::BitcastOp::create(builder, loc, type.clone(to), value);
  };
  Value all = retype(tile, bits);
  Value none = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(all.getType()));
  Value kept = arith::SelectOp::create(builder, loc, mask, all, none);
  layout::Shape left = layout::shapeOf(mapOf(tile));
  left.erase(left.begin() + dim);
  auto type = withLayout(RankedTensorType::get(left, bits), layout::dropDim(mapOf(tile), dim));
  auto reduce = tile::ReduceOp::create(builder, loc, TypeRange{type}, kept, static_cast<uint32_t>(dim));
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&reduce.getCombiner(), {}, {bits, bits}, {loc, loc});
  Value united = arith::OrIOp::create(builder, loc, block->getArgument(0), block->getArgument(1));
  tile::YieldOp::create(builder, loc, united);
  builder.setInsertionPointAfter(reduce);
  return retype(reduce.getResult(0), element);
}

SmallVector<Value> ScanSplitter::scan(ValueRange tiles, int dim) {
  IRMapping mapping;
  mapping.map(op.getOperands(), tiles);
  auto copy = cast<tile::ScanOp>(builder.clone(*op, mapping));
  copy.setAxis(static_cast<uint32_t>(dim));
  for (auto [result, tile] : llvm::zip_equal(copy.getResults(), tiles)) {
    result.setType(tile.getType());
  }
  return llvm::to_vector(ValueRange(copy.getResults()));
}

SmallVector<Value> ScanSplitter::combine(ValueRange before, ValueRange inner) {
  SmallVector<Value> sources(before);
  llvm::append_range(sources, inner);
  auto map = tile::MapOp::create(builder, loc, inner.getTypes(), sources, /*pack=*/1);
  IRMapping mapping;
  op.getCombiner().cloneInto(&map.getBody(), mapping);
  return llvm::to_vector(ValueRange(map.getResults()));
}

void ScanSplitter::run() {
  SmallVector<Value> tiles;
  for (Value tile : op.getOperands()) {
    tiles.push_back(convert(reshape(tile, shape), whole));
  }
  SmallVector<Value> inner = scan(tiles, axis + 1);

  // One part for each warp, of which every thread gets the totals of all parts in registers.
  LinearLayout each = layout::dropDim(whole, axis + 1);
  LinearLayout pairs = withPartials(each, axis + 1, parts, /*inRegisters=*/true); // part by part
  LinearLayout all = layout::dropDim(pairs, axis);
  Value isLast = equals(indices(whole, axis + 1), op.getReverse() ? 0 : shape[axis + 1] - 1);
  SmallVector<Value> totals;
  for (Value tile : inner) {
    totals.push_back(convert(only(isLast, tile, axis + 1), all));
  }
  Value part = indices(pairs, axis), other = indices(pairs, axis + 1);
  auto type = cast<ShapedType>(part.getType());
  Value one = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, builder.getI32IntegerAttr(1)));
  Value next = op.getReverse() ? arith::SubIOp::create(builder, loc, other, one).getResult()
                               : arith::AddIOp::create(builder, loc, other, one).getResult();
  Value isBefore = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, part, next);
  SmallVector<Value> before;
  for (Value tile : scan(totals, axis)) {
    Value prefix = only(isBefore, broadcast(tile, axis, pairs), axis + 1);
    before.push_back(broadcast(prefix, axis + 1, whole));
  }

  Value isFirst = equals(indices(whole, axis), op.getReverse() ? parts - 1 : 0);
  layout::Shape lines = layout::shapeOf(mapOf(op.getOperand(0)));
  for (auto [result, combined, alone] : llvm::zip_equal(op.getResults(), combine(before, inner), inner)) {
    Value value = arith::SelectOp::create(builder, loc, isFirst, alone, combined);
    result.replaceAllUsesWith(convert(reshape(value, lines), mapOf(result)));
  }
  op.erase();
}

void splitScan(tile::ScanOp op, int64_t parts) { ScanSplitter(op, parts).run(); }

} // namespace tilewright::tilegpu
