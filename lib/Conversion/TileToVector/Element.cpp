// Evaluates a tile at a point: one element or one vector of elements.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::cpu {

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

Type Emitter::convert(Type type) {
  return isa<tile::PtrType>(type) ? LLVM::LLVMPointerType::get(b.getContext()) : type;
}

int64_t Emitter::widthOf(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getNumElements() : 1;
}

Type Emitter::vectorOf(Type element, int64_t width) { return width == 1 ? element : VectorType::get({width}, element); }

Value Emitter::broadcast(Value value, int64_t width) {
  if (widthOf(value) == width) {
    return value;
  }
  return vector::BroadcastOp::create(b, value.getLoc(), vectorOf(value.getType(), width), value);
}

Value Emitter::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(program.scratch);
    known = arith::ConstantOp::create(b, program.scratch.getLoc(), value);
  }
  return known;
}

Value Emitter::zero(Type type) {
  if (isa<LLVM::LLVMPointerType>(getElementTypeOrSelf(type))) {
    return LLVM::ZeroOp::create(b, b.getUnknownLoc(), type);
  }
  return constant(b.getZeroAttr(type));
}

Value Emitter::allTrue(int64_t width) {
  auto type = VectorType::get({width}, b.getI1Type());
  return constant(DenseElementsAttr::get(type, true));
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

Point Emitter::normalize(Type type, const Point &point) {
  Point result = point;
  for (auto [dim, size] : llvm::enumerate(tile::getShape(type))) {
    if (size != 1) {
      continue;
    }
    result.index[dim] = i64(0);
    if (int(dim) == result.vectorDim) {
      result.vectorDim = -1;
      result.width = 1;
    }
  }
  return result;
}

Value Emitter::findCached(Value tile, const Point &point) const {
  for (const CacheEntry &entry : llvm::reverse(cache)) {
    if (entry.tile == tile && entry.point.vectorDim == point.vectorDim && entry.point.width == point.width &&
        entry.point.index == point.index) {
      return entry.result;
    }
  }
  return {};
}

Value Emitter::evaluate(Value tile, const Point &at) {
  if (!isTile(tile)) {
    return scalar(tile);
  }
  Point point = normalize(tile.getType(), at);
  if (Value known = findCached(tile, point)) {
    return known;
  }
  Value result;
  // The buffer of a cheap tile may have been reused for another value; recompute the tile.
  auto buffer = rematerialization.isCheap(tile) ? buffers.end() : buffers.find(tile);
  result = buffer != buffers.end() ? readBuffer(buffer->second, point) : evaluateUncached(tile, point);
  cache.push_back(CacheEntry{tile, point, result});
  return result;
}

Value Emitter::evaluateVector(Value tile, const Point &point) { return broadcast(evaluate(tile, point), point.width); }

Value Emitter::evaluateUncached(Value tile, const Point &point) {
  Operation *op = tile.getDefiningOp();
  assert(op && "a tile argument must have a buffer");
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    return constant(cast<TypedAttr>(cast<SplatElementsAttr>(constantOp.getValue()).getSplatValue<Attribute>()));
  }
  if (auto splat = dyn_cast<tile::SplatOp>(op)) {
    return scalar(splat.getSrc());
  }
  if (isa<tile::MakeRangeOp>(op)) {
    return evaluateRange(op, point);
  }
  if (isa<tile::HintOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::TransOp, tile::ReshapeOp, tile::SplitOp>(op)) {
    return evaluateView(cast<OpResult>(tile), point);
  }
  if (isa<tile::LoadOp>(op)) {
    return evaluateLoad(op, point);
  }
  if (isa<tile::GatherOp>(op)) {
    return evaluateGather(op, point);
  }
  return evaluateElementwise(cast<OpResult>(tile), point);
}

/// <0, 1, 2, ...> as i32.
Value Emitter::laneNumbers(int64_t width) {
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, width));
  auto type = VectorType::get({width}, b.getI32Type());
  return constant(DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
}

Value Emitter::evaluateRange(Operation *op, const Point &point) {
  auto range = cast<tile::MakeRangeOp>(op);
  Type type = b.getI32Type();
  Value first = arith::TruncIOp::create(b, op->getLoc(), type, point.index[0]);
  if (range.getStart() != 0) {
    first = arith::AddIOp::create(b, op->getLoc(), first, constant(b.getI32IntegerAttr(range.getStart())));
  }
  if (point.isScalar()) {
    return first;
  }
  return arith::AddIOp::create(b, op->getLoc(), broadcast(first, point.width), laneNumbers(point.width));
}

/// Evaluates a shape operation or hint by the corresponding element of its source.
Value Emitter::evaluateView(OpResult view, const Point &point) {
  Operation *op = view.getOwner();
  Value src = op->getOperand(0);
  Point from = point;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    from.index.erase(from.index.begin() + expand.getAxis());
    from.vectorDim -= from.vectorDim > int(expand.getAxis());
  } else if (auto trans = dyn_cast<tile::TransOp>(op)) {
    for (auto [to, dim] : llvm::enumerate(trans.getOrder())) {
      from.index[dim] = point.index[to];
      if (point.vectorDim == int(to)) {
        from.vectorDim = dim;
      }
    }
  } else if (isa<tile::SplitOp>(op)) {
    from.index.push_back(i64(view.getResultNumber()));
  } else if (isa<tile::ReshapeOp>(op)) {
    // Only dimensions of size 1 are inserted or removed: match the others in order.
    from.index.clear();
    from.vectorDim = -1;
    ArrayRef<int64_t> sizes = tile::getShape(view.getType());
    size_t to = 0;
    for (int64_t size : tile::getShape(src.getType())) {
      if (size == 1) {
        from.index.push_back(i64(0));
        continue;
      }
      while (sizes[to] == 1) {
        ++to;
      }
      if (point.vectorDim == int(to)) {
        from.vectorDim = from.index.size();
      }
      from.index.push_back(point.index[to++]);
    }
  }
  return evaluate(src, from);
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

Value Emitter::addPointer(Type pointee, Value pointer, Value offset) {
  int64_t width = std::max(widthOf(pointer), widthOf(offset));
  Type type = vectorOf(LLVM::LLVMPointerType::get(b.getContext()), width);
  return LLVM::GEPOp::create(b, offset.getLoc(), type, memoryType(pointee), pointer, ValueRange{offset});
}

Operation *Emitter::cloneWide(Operation *op, SmallVector<Value> operands, int64_t width) {
  // A select may have a scalar condition; all other operands have equal widths.
  bool isSelect = isa<arith::SelectOp>(op);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!(isSelect && i == 0)) {
      operand = broadcast(operand, width);
    }
  }
  Operation *copy = op->cloneWithoutRegions();
  copy->setOperands(operands);
  // Drop attributes, which describe whole tiles, but keep the requested precision.
  bool precise = op->hasAttr("tile.precise");
  copy->setDiscardableAttrs(ArrayRef<NamedAttribute>());
  if (precise) {
    copy->setAttr("tile.precise", b.getUnitAttr());
  }
  for (OpResult result : copy->getResults()) {
    result.setType(vectorOf(convert(getElementTypeOrSelf(result.getType())), width));
  }
  return b.insert(copy);
}

SmallVector<Value> Emitter::applyElementwise(Operation *op, SmallVector<Value> operands) {
  Location loc = op->getLoc();
  int64_t width = 1;
  for (Value operand : operands) {
    width = std::max(width, widthOf(operand));
  }
  Type type = op->getNumResults() ? vectorOf(convert(getElementTypeOrSelf(op->getResult(0).getType())), width) : Type();
  if (auto addptr = dyn_cast<tile::AddPtrOp>(op)) {
    Type pointee = getElementTypeOrSelf(tile::getPointeeType(addptr.getType()));
    return {addPointer(pointee, operands[0], operands[1])};
  }
  if (isa<tile::PtrCastOp, tile::HintOp>(op)) {
    return operands;
  }
  if (isa<tile::IntToPtrOp>(op)) {
    return {LLVM::IntToPtrOp::create(b, loc, type, operands[0])};
  }
  if (isa<tile::PtrToIntOp>(op)) {
    return {LLVM::PtrToIntOp::create(b, loc, type, operands[0])};
  }
  return cloneWide(op, operands, width)->getResults();
}

/// Compares consecutive numbers with a uniform bound by counting the lanes below it, which takes one vector comparison
/// with a constant; the rest is scalar.
///
///     i + <0, 1, 2, 3> < n    ->    <0, 1, 2, 3> < clamp(n - i, 0, 4)
///
/// Returns null if the comparison does not have this form.
Value Emitter::evaluateBoundsCheck(arith::CmpIOp op, const Point &point) {
  Value lower = op.getLhs(), upper = op.getRhs();
  arith::CmpIPredicate predicate = op.getPredicate();
  if (predicate == arith::CmpIPredicate::sgt || predicate == arith::CmpIPredicate::ugt) {
    std::swap(lower, upper);
  } else if (predicate != arith::CmpIPredicate::slt && predicate != arith::CmpIPredicate::ult) {
    return {};
  }
  bool isSigned = predicate == arith::CmpIPredicate::slt || predicate == arith::CmpIPredicate::sgt;
  Type element = getElementTypeOrSelf(lower.getType());
  // The difference of wider integers could overflow.
  if (point.isScalar() || element.getIntOrFloatBitWidth() > 32 ||
      axis.get(upper).getConstancy(point.vectorDim) < point.width) {
    return {};
  }
  // As unsigned numbers, -1 and 0 are not consecutive; only aligned groups cannot contain both.
  AxisFacts counting = axis.get(lower).getSigned(point.vectorDim);
  counting = isSigned ? counting : AxisInfo::cutToAligned(counting);
  if (counting.contiguity < point.width) {
    return {};
  }
  Location loc = op.getLoc();
  Type i64Type = b.getI64Type();
  auto wide = [&](Value tile) -> Value {
    Value first = evaluate(tile, point.first());
    return isSigned ? arith::ExtSIOp::create(b, loc, i64Type, first).getResult()
                    : arith::ExtUIOp::create(b, loc, i64Type, first).getResult();
  };
  Value bound = wide(upper);
  Value left = arith::SubIOp::create(b, loc, bound, wide(lower));
  left = arith::MaxSIOp::create(b, loc, left, i64(0));
  left = arith::MinSIOp::create(b, loc, left, i64(point.width));
  Value count = arith::TruncIOp::create(b, loc, b.getI32Type(), left);
  Value mask =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, laneNumbers(point.width), broadcast(count, point.width));
  laneCounts[mask] = left;
  return mask;
}

Value Emitter::evaluateElementwise(OpResult tile, const Point &point) {
  Operation *op = tile.getOwner();
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    if (Value mask = evaluateBoundsCheck(compare, point)) {
      return mask;
    }
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(evaluate(operand, point));
  }
  SmallVector<Value> results = applyElementwise(op, operands);
  if (results.size() > 1) {
    for (auto [other, result] : llvm::zip(op->getResults(), results)) {
      cache.push_back(CacheEntry{other, point, result});
    }
  }
  return results[tile.getResultNumber()];
}

} // namespace tilewright::cpu
