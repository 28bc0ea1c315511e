// Evaluates a tile at a point: one element or one vector of elements.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

Type Emitter::convert(Type type) {
  return isa<tile::PtrType, tile::BytesType>(type) ? LLVM::LLVMPointerType::get(b.getContext()) : type;
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
  auto result = dyn_cast<OpResult>(tile);
  assert(result && "a tile argument must have a buffer");
  auto model = dyn_cast<EmissionOpInterface>(result.getOwner());
  return model ? model.evaluate(*this, result, point) : evaluateElementwise(result, point);
}

/// <0, 1, 2, ...> as i32.
Value Emitter::laneNumbers(int64_t width) {
  auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, width));
  auto type = VectorType::get({width}, b.getI32Type());
  return constant(DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

Value Emitter::addPointer(Type pointee, Value pointer, Value offset) {
  int64_t width = std::max(widthOf(pointer), widthOf(offset));
  Type type = vectorOf(LLVM::LLVMPointerType::get(b.getContext()), width);
  return LLVM::GEPOp::create(b, offset.getLoc(), type, memoryType(pointee), pointer, ValueRange{offset});
}

Operation *Emitter::cloneWide(Operation *op, ArrayRef<Value> operands, int64_t width) {
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

SmallVector<Value> Emitter::applyElementwise(Operation *op, const SmallVector<Value> &operands) {
  int64_t width = 1;
  for (Value operand : operands) {
    width = std::max(width, widthOf(operand));
  }
  auto model = dyn_cast<EmissionOpInterface>(op);
  return model ? model.apply(*this, operands, width) : detail::applyToLanes(*this, op, operands, width);
}

SmallVector<Value> detail::applyToLanes(Emitter &e, Operation *op, SmallVector<Value> operands, int64_t width) {
  for (Value &operand : operands) {
    operand = e.broadcast(operand, width);
  }
  return e.cloneWide(op, operands, width)->getResults();
}

Value Emitter::evaluateElementwise(OpResult tile, const Point &point) {
  Operation *op = tile.getOwner();
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

Value detail::evaluateElementwise(Emitter &e, OpResult result, const Point &point) {
  return e.evaluateElementwise(result, point);
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

namespace {

/// Elementwise operations with code of their own for a vector.
template <typename Model, typename Op> struct Elementwise : EmissionModel<Model, Op> {
  Placement getPlacement(Operation *op) const {
    return isTile(op->getResult(0)) ? Placement::Lazy : Placement::Materialized;
  }
};

struct AddPtr : Elementwise<AddPtr, tile::AddPtrOp> {
  SmallVector<Value> apply(Operation *op, Emitter &e, SmallVector<Value> operands, int64_t) const {
    Type pointee = getElementTypeOrSelf(tile::getPointeeType(op->getResult(0).getType()));
    return {e.addPointer(pointee, operands[0], operands[1])};
  }
};

struct PtrCast : Elementwise<PtrCast, tile::PtrCastOp> {
  SmallVector<Value> apply(Operation *, Emitter &, SmallVector<Value> operands, int64_t) const { return operands; }
};

/// Conversions between integers and pointers.
template <typename Op, typename Conversion>
struct PointerConversion : Elementwise<PointerConversion<Op, Conversion>, Op> {
  SmallVector<Value> apply(Operation *op, Emitter &e, SmallVector<Value> operands, int64_t width) const {
    Type type = Emitter::vectorOf(e.convert(getElementTypeOrSelf(op->getResult(0).getType())), width);
    return {Conversion::create(e.b, op->getLoc(), type, operands[0])};
  }
};

struct ReadBytes : Elementwise<ReadBytes, tile::ReadBytesOp> {
  SmallVector<Value> apply(Operation *op, Emitter &e, SmallVector<Value> operands, int64_t) const {
    Location loc = op->getLoc();
    auto offset = static_cast<int32_t>(cast<tile::ReadBytesOp>(op).getOffset());
    Value address = LLVM::GEPOp::create(e.b, loc, operands[0].getType(), e.b.getI8Type(), operands[0],
                                        ArrayRef<LLVM::GEPArg>{offset});
    return {LLVM::LoadOp::create(e.b, loc, e.convert(op->getResult(0).getType()), address)};
  }
};

} // namespace

void attachElementwise(MLIRContext *context) {
  tile::AddPtrOp::attachInterface<AddPtr>(*context);
  tile::PtrCastOp::attachInterface<PtrCast>(*context);
  tile::ReadBytesOp::attachInterface<ReadBytes>(*context);
  tile::IntToPtrOp::attachInterface<PointerConversion<tile::IntToPtrOp, LLVM::IntToPtrOp>>(*context);
  tile::PtrToIntOp::attachInterface<PointerConversion<tile::PtrToIntOp, LLVM::PtrToIntOp>>(*context);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Emitter::countInBounds(arith::CmpIOp op, const Point &point) {
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
  AxisProperties counting = axis.get(lower).getSigned(point.vectorDim);
  counting = isSigned ? counting : AxisInfo::cutToAligned(counting);
  if (counting.contiguity < point.width) {
    return {};
  }
  Location loc = op.getLoc();
  auto wide = [&](Value tile) -> Value {
    Value first = evaluate(tile, point.first());
    return isSigned ? arith::ExtSIOp::create(b, loc, b.getI64Type(), first).getResult()
                    : arith::ExtUIOp::create(b, loc, b.getI64Type(), first).getResult();
  };
  Value bound = wide(upper);
  Value left = arith::SubIOp::create(b, loc, bound, wide(lower));
  left = arith::MaxSIOp::create(b, loc, left, i64(0));
  return arith::MinSIOp::create(b, loc, left, i64(point.width));
}

/// Compares consecutive numbers with a uniform bound by counting the lanes below it, which takes one vector comparison
/// with a constant; the rest is scalar.
///
///     i + <0, 1, 2, 3> < n    ->    <0, 1, 2, 3> < clamp(n - i, 0, 4)
///
/// Returns null if the comparison does not have this form.
static Value evaluateBoundsCheck(Emitter &e, arith::CmpIOp op, const Point &point) {
  Value left = e.countInBounds(op, point);
  if (!left) {
    return {};
  }
  Location loc = op.getLoc();
  Value count = arith::TruncIOp::create(e.b, loc, e.b.getI32Type(), left);
  Value mask = arith::CmpIOp::create(e.b, loc, arith::CmpIPredicate::slt, e.laneNumbers(point.width),
                                     e.broadcast(count, point.width));
  e.laneCounts[mask] = left;
  return mask;
}

namespace {

struct Compare : Elementwise<Compare, arith::CmpIOp> {
  Value evaluate(Operation *op, Emitter &e, OpResult result, const Point &point) const {
    Value mask = evaluateBoundsCheck(e, cast<arith::CmpIOp>(op), point);
    return mask ? mask : e.evaluateElementwise(result, point);
  }
};

/// The condition may be one scalar for all lanes.
struct Select : Elementwise<Select, arith::SelectOp> {
  SmallVector<Value> apply(Operation *op, Emitter &e, SmallVector<Value> operands, int64_t width) const {
    for (Value &operand : llvm::drop_begin(operands)) {
      operand = e.broadcast(operand, width);
    }
    return e.cloneWide(op, operands, width)->getResults();
  }
};

struct Constant : EmissionModel<Constant, arith::ConstantOp> {
  Placement getPlacement(Operation *op) const {
    return isTile(op->getResult(0)) ? Placement::Free : Placement::Materialized;
  }
  Value evaluate(Operation *op, Emitter &e, OpResult, const Point &) const {
    auto elements = cast<SplatElementsAttr>(cast<arith::ConstantOp>(op).getValue());
    return e.constant(cast<TypedAttr>(elements.getSplatValue<Attribute>()));
  }
};

} // namespace

void attachArith(MLIRContext *context) {
  arith::CmpIOp::attachInterface<Compare>(*context);
  arith::SelectOp::attachInterface<Select>(*context);
  arith::ConstantOp::attachInterface<Constant>(*context);
}

} // namespace tilewright::cpu
