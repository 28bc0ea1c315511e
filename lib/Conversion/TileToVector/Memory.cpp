// Loads and stores of user memory, and tiles in scratch memory.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

//===----------------------------------------------------------------------===//
// Elements in memory
//===----------------------------------------------------------------------===//

Type Emitter::memoryType(Type element) {
  Type type = convert(element);
  return type.isInteger(1) ? b.getI8Type() : type;
}

int64_t getBitWidth(Type element) {
  bool isPointer = isa<tile::PtrType, LLVM::LLVMPointerType>(element);
  return isPointer ? 64 : std::max<int64_t>(element.getIntOrFloatBitWidth(), 8);
}

static int64_t bytesOf(Type memoryType) { return getBitWidth(memoryType) / 8; }

Value Emitter::toMemory(Value value) {
  if (!getElementTypeOrSelf(value.getType()).isInteger(1)) {
    return value;
  }
  return arith::ExtUIOp::create(b, value.getLoc(), vectorOf(b.getI8Type(), widthOf(value)), value);
}

Value Emitter::fromMemory(Value value, Type element) {
  if (!element.isInteger(1)) {
    return value;
  }
  Value none = broadcast(constant(b.getI8IntegerAttr(0)), widthOf(value));
  return arith::CmpIOp::create(b, value.getLoc(), arith::CmpIPredicate::ne, value, none);
}

//===----------------------------------------------------------------------===//
// User memory
//===----------------------------------------------------------------------===//

Value Emitter::emitScalarLoad(Type type, Value pointer, Value mask, Value other, bool isVolatile) {
  Location loc = pointer.getLoc();
  Type inMemory = memoryType(type);
  auto load = [&](OpBuilder &builder) -> Value {
    return LLVM::LoadOp::create(builder, loc, inMemory, pointer, bytesOf(inMemory), isVolatile);
  };
  if (!mask) {
    return fromMemory(load(b), type);
  }
  Value otherwise = other ? toMemory(other) : zero(inMemory);
  auto branch = scf::IfOp::create(
      b, loc, mask, [&](OpBuilder &builder, Location) { scf::YieldOp::create(builder, loc, load(builder)); },
      [&](OpBuilder &builder, Location) { scf::YieldOp::create(builder, loc, otherwise); });
  return fromMemory(branch.getResult(0), type);
}

/// Whether each execution of the load has to read memory, because another program may have written it meanwhile. For
/// tiles `.cv` is only a hint.
static bool isFresh(tile::LoadOp load) {
  return load.getIsVolatile() || (load.getCache() == tile::CacheModifier::CV && !isTile(load.getResult()));
}

/// Whether all lanes of a mask are on, or null if that is not worth a branch.
static Value testWhetherFull(Emitter &e, Value mask) {
  Location loc = mask.getLoc();
  if (auto count = e.laneCounts.find(mask); count != e.laneCounts.end()) {
    return arith::CmpIOp::create(e.b, loc, arith::CmpIPredicate::eq, count->second, e.i64(Emitter::widthOf(mask)));
  }
  return e.cpu.hasMasks ? Value() : vector::ReductionOp::create(e.b, loc, vector::CombiningKind::AND, mask);
}

/// Loads consecutive elements. Without instructions for masks, LLVM branches on each lane, so that a full vector is
/// loaded without its mask.
static Value emitVectorLoad(Emitter &e, Location loc, Type type, Value pointer, Value mask, Value other) {
  unsigned align = bytesOf(getElementTypeOrSelf(type));
  auto plain = [&]() -> Value { return LLVM::LoadOp::create(e.b, loc, type, pointer, align); };
  auto masked = [&]() -> Value { return LLVM::MaskedLoadOp::create(e.b, loc, type, pointer, mask, other, align); };
  if (!mask) {
    return plain();
  }
  if (e.cpu.hasMasks) {
    return masked();
  }
  auto branch = [&](llvm::function_ref<Value()> load) {
    return [&e, loc, load](OpBuilder &, Location) { scf::YieldOp::create(e.b, loc, load()); };
  };
  return scf::IfOp::create(e.b, loc, testWhetherFull(e, mask), branch(plain), branch(masked)).getResult(0);
}

static Value evaluateLoad(Emitter &e, tile::LoadOp load, const Point &point) {
  Location loc = load.getLoc();
  Type element = getElementTypeOrSelf(load.getType());
  auto optional = [&](Value value, const Point &at) { return value ? e.evaluate(value, at) : Value(); };
  if (point.isScalar()) {
    Value pointer = e.evaluate(load.getPtr(), point), mask = optional(load.getMask(), point);
    e.checkBounds(load, pointer, 1, mask);
    return e.emitScalarLoad(element, pointer, mask, optional(load.getOther(), point), isFresh(load));
  }

  const AxisInfo &properties = e.axis.get(load.getPtr());
  int64_t width = point.width;
  bool uniformMask = !load.getMask() || e.axis.get(load.getMask()).getConstancy(point.vectorDim) >= width;
  bool uniformOther =
      !load.getOther() || isa_and_nonnull<tile::SplatOp, arith::ConstantOp>(load.getOther().getDefiningOp());
  if (properties.getConstancy(point.vectorDim) >= width && uniformMask && uniformOther) {
    return evaluateLoad(e, load, point.first());
  }

  Type inMemory = e.memoryType(element);
  Type type = Emitter::vectorOf(inMemory, width);
  unsigned align = bytesOf(inMemory);
  Value mask = load.getMask() ? e.evaluateVector(load.getMask(), point) : Value();
  Value other = load.getOther() ? e.toMemory(e.evaluateVector(load.getOther(), point)) : Value();
  if (mask && !other) {
    other = e.zero(type);
  }
  Value result;
  if (properties.getContiguity(point.vectorDim) >= width) {
    Value pointer = e.evaluate(load.getPtr(), point.first());
    e.checkBounds(load, pointer, width, mask);
    result = emitVectorLoad(e, loc, type, pointer, mask, other);
  } else {
    Value pointers = e.evaluateVector(load.getPtr(), point);
    e.checkBounds(load, pointers, width, mask);
    mask = mask ? mask : e.allTrue(width);
    result =
        LLVM::masked_gather::create(e.b, loc, type, pointers, mask, other ? ValueRange(other) : ValueRange(), align);
  }
  return e.fromMemory(result, element);
}

static void emitScalarStore(Emitter &e, Value pointer, Value value, Value mask) {
  Location loc = pointer.getLoc();
  Value stored = e.toMemory(value);
  unsigned align = bytesOf(stored.getType());
  if (!mask) {
    LLVM::StoreOp::create(e.b, loc, stored, pointer, align);
    return;
  }
  scf::IfOp::create(e.b, loc, mask, [&](OpBuilder &builder, Location) {
    LLVM::StoreOp::create(builder, loc, stored, pointer, align);
    scf::YieldOp::create(builder, loc);
  });
}

/// The alignment of the address of a vector's first element.
static unsigned alignmentOf(const AxisProperties &pointers, int64_t width, int64_t elementBytes) {
  constexpr int64_t kCacheLine = 64;
  return std::min(kCacheLine, std::max(elementBytes, pointers.divisibilityAt(width)));
}

/// Stores consecutive elements. A full vector is stored without its mask, as a plain store of whole cache lines need
/// not fetch them first. A streaming store (`.cs`) bypasses the cache.
static void emitVectorStore(Emitter &e, tile::StoreOp op, const Point &point, Value value, Value mask) {
  Location loc = op.getLoc();
  Value pointer = e.evaluate(op.getPtr(), point.first());
  e.checkBounds(op, pointer, point.width, mask);
  unsigned bytes = bytesOf(getElementTypeOrSelf(value.getType()));
  bool streams = op.getCache() == tile::CacheModifier::CS;
  // Only streaming stores need the alignment. Others do not use it, because they would fault if a hint of the user is
  // wrong.
  unsigned align = streams ? alignmentOf(e.axis.get(op.getPtr())[point.vectorDim], point.width, bytes) : bytes;
  e.storesStream |= streams;
  auto plain = [&] { LLVM::StoreOp::create(e.b, loc, value, pointer, align, /*isVolatile=*/false, streams); };
  auto masked = [&] { LLVM::MaskedStoreOp::create(e.b, loc, value, pointer, mask, bytes); };
  if (!mask) {
    plain();
    return;
  }
  Value isFull = testWhetherFull(e, mask);
  if (!isFull) {
    masked();
    return;
  }
  auto branch = [&](llvm::function_ref<void()> store) {
    return [&e, loc, store](OpBuilder &, Location) {
      store();
      scf::YieldOp::create(e.b, loc);
    };
  };
  scf::IfOp::create(e.b, loc, isFull, branch(plain), branch(masked));
}

static void emitStore(Emitter &e, tile::StoreOp store, const Point &at) {
  Point point = e.normalize(store.getPtr().getType(), at);
  Location loc = store.getLoc();
  if (point.isScalar()) {
    Value value = e.evaluate(store.getValue(), point);
    Value mask = store.getMask() ? e.evaluate(store.getMask(), point) : Value();
    Value pointer = e.evaluate(store.getPtr(), point);
    e.checkBounds(store, pointer, 1, mask);
    emitScalarStore(e, pointer, value, mask);
    return;
  }
  Value value = e.toMemory(e.evaluateVector(store.getValue(), point));
  Value mask = store.getMask() ? e.evaluateVector(store.getMask(), point) : Value();
  unsigned align = bytesOf(getElementTypeOrSelf(value.getType()));
  if (e.axis.get(store.getPtr()).getContiguity(point.vectorDim) >= point.width) {
    emitVectorStore(e, store, point, value, mask);
    return;
  }
  Value pointers = e.evaluateVector(store.getPtr(), point);
  e.checkBounds(store, pointers, point.width, mask);
  LLVM::masked_scatter::create(e.b, loc, value, pointers, mask ? mask : e.allTrue(point.width), align);
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

SmallVector<int64_t> Emitter::rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int dim = int(shape.size()) - 2; dim >= 0; --dim) {
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  }
  return strides;
}

/// Constant indices have less than 32 bits.
static constexpr int64_t kLargestConstantIndex = (int64_t(1) << (LLVM::kGEPConstantBitWidth - 1)) - 1;

Buffer Emitter::allocate(Type tileType, Type element) {
  constexpr int64_t kAlignment = 64;
  ArrayRef<int64_t> shape = tile::getShape(tileType);
  Buffer buffer;
  buffer.element = element ? element : convert(getElementTypeOrSelf(tileType));
  buffer.strides = rowMajorStrides(shape);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(program.scratch);
  Location loc = program.scratch.getLoc();
  auto type = LLVM::LLVMPointerType::get(b.getContext());
  bool isConstant = scratchBytes <= kLargestConstantIndex;
  Value offset =
      isConstant ? Value() : arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(scratchBytes)).getResult();
  LLVM::GEPArg index = isConstant ? LLVM::GEPArg(int32_t(scratchBytes)) : LLVM::GEPArg(offset);
  buffer.base = LLVM::GEPOp::create(b, loc, type, b.getI8Type(), program.scratch, index);
  scratchBytes =
      llvm::alignTo(scratchBytes + ShapedType::getNumElements(shape) * bytesOf(memoryType(buffer.element)), kAlignment);
  return buffer;
}

Buffer Emitter::allocateInPanels(Type tileType, Type element, int64_t panel) {
  Buffer buffer = allocate(tileType, element);
  ArrayRef<int64_t> shape = tile::getShape(tileType);
  buffer.panel = panel;
  buffer.strides[shape.size() - 2] = panel;
  buffer.panelStride = shape[shape.size() - 2] * panel;
  return buffer;
}

Value Emitter::addressIn(const Buffer &buffer, const Point &point) {
  Location loc = buffer.base.getLoc();
  Value offset;
  auto add = [&](Value index, int64_t stride) {
    if (index == i64(0)) {
      return;
    }
    Value term = stride == 1 ? index : arith::MulIOp::create(b, loc, index, i64(stride)).getResult();
    offset = offset ? arith::AddIOp::create(b, loc, offset, term).getResult() : term;
  };
  for (auto [dim, stride] : llvm::enumerate(buffer.strides)) {
    Value index = point.index[dim];
    if (buffer.panel && dim + 1 == buffer.strides.size()) {
      add(arith::DivUIOp::create(b, loc, index, i64(buffer.panel)), buffer.panelStride);
      index = arith::RemUIOp::create(b, loc, index, i64(buffer.panel));
    }
    add(index, stride);
  }
  return offset ? addPointer(buffer.element, buffer.base, offset) : buffer.base;
}

/// The addresses of `width` elements with the given stride.
static Value spread(OpBuilder &b, Value first, Type inMemory, int64_t stride, int64_t width) {
  auto offsets = llvm::to_vector(llvm::map_range(llvm::seq<int64_t>(0, width), [&](int64_t i) { return i * stride; }));
  Location loc = first.getLoc();
  Value constant = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(VectorType::get({width}, b.getI64Type()), ArrayRef<int64_t>(offsets)));
  auto type = VectorType::get({width}, first.getType());
  return LLVM::GEPOp::create(b, loc, type, inMemory, first, ValueRange{constant});
}

Value Emitter::readBuffer(const Buffer &buffer, const Point &point) {
  Location loc = buffer.base.getLoc();
  Type inMemory = memoryType(buffer.element);
  unsigned align = bytesOf(inMemory);
  Value address = addressIn(buffer, point);
  Type type = vectorOf(inMemory, point.width);
  if (point.isScalar() || buffer.strides[point.vectorDim] == 1) {
    return fromMemory(LLVM::LoadOp::create(b, loc, type, address, align), buffer.element);
  }
  Value addresses = spread(b, address, inMemory, buffer.strides[point.vectorDim], point.width);
  Value loaded = LLVM::masked_gather::create(b, loc, type, addresses, allTrue(point.width), ValueRange(), align);
  return fromMemory(loaded, buffer.element);
}

void Emitter::forEachPanel(const Buffer &buffer, const Point &point,
                           llvm::function_ref<void(const Point &, int64_t)> fn) {
  int last = int(buffer.strides.size()) - 1;
  for (int64_t lane = 0; lane < point.width; lane += buffer.panel) {
    Point part{point.index, last, buffer.panel};
    part.index[last] = arith::AddIOp::create(b, buffer.base.getLoc(), point.index[last], i64(lane));
    fn(part, lane);
  }
}

void Emitter::writeBuffer(const Buffer &buffer, const Point &point, Value value) {
  Location loc = value.getLoc();
  if (buffer.panel && point.vectorDim == int(buffer.strides.size()) - 1 && point.width > buffer.panel) {
    forEachPanel(buffer, point, [&](const Point &part, int64_t lane) {
      auto lanes = llvm::to_vector(llvm::seq<int64_t>(lane, lane + buffer.panel));
      Value wide = broadcast(value, point.width);
      writeBuffer(buffer, part, vector::ShuffleOp::create(b, loc, wide, wide, lanes));
    });
    return;
  }
  Value stored = toMemory(broadcast(value, point.width));
  Type inMemory = getElementTypeOrSelf(stored.getType());
  unsigned align = bytesOf(inMemory);
  Value address = addressIn(buffer, point);
  if (point.isScalar() || buffer.strides[point.vectorDim] == 1) {
    LLVM::StoreOp::create(b, loc, stored, address, align);
    return;
  }
  Value addresses = spread(b, address, inMemory, buffer.strides[point.vectorDim], point.width);
  LLVM::masked_scatter::create(b, loc, stored, addresses, allTrue(point.width), align);
}

void Emitter::fillBuffer(Type type, const Buffer &into, llvm::function_ref<Value(const Point &)> element) {
  ArrayRef<int64_t> sizes = tile::getShape(type);
  int last = int(sizes.size()) - 1;
  int64_t width = sizes.empty() ? 1 : std::min(sizes[last], cpu.lanes(getBitWidth(into.element)));
  CacheScope scope(*this);
  emitPointwise(sizes, width > 1 ? last : -1, width,
                [&](const Point &point) { writeBuffer(into, point, element(point)); });
}

void Emitter::copyTile(Value tile, const Buffer &into) {
  fillBuffer(tile.getType(), into, [&](const Point &point) { return evaluate(tile, point); });
}

void Emitter::copyBuffer(Type type, const Buffer &from, const Buffer &into) {
  fillBuffer(type, into, [&](const Point &point) { return readBuffer(from, point); });
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {

struct Load : EmissionModel<Load, tile::LoadOp> {
  Placement getPlacement(Operation *op) const {
    bool isLazy = isTile(op->getResult(0)) && !isFresh(cast<tile::LoadOp>(op));
    return isLazy ? Placement::Lazy : Placement::Materialized;
  }

  Value evaluate(Operation *op, Emitter &e, OpResult, const Point &point) const {
    return evaluateLoad(e, cast<tile::LoadOp>(op), point);
  }

  LogicalResult emit(Operation *op, Emitter &e) const {
    auto load = cast<tile::LoadOp>(op);
    if (isTile(load.getResult())) {
      Buffer buffer = e.allocate(load.getType());
      // Element by element, because masked loads and gathers of vectors cannot be volatile.
      CacheScope scope(e);
      e.emitPointwise(tile::getShape(load.getType()), -1, 1,
                      [&](const Point &point) { e.writeBuffer(buffer, point, evaluateLoad(e, load, point)); });
      e.buffers[load.getResult()] = buffer;
      return success();
    }
    Value pointer = e.scalar(load.getPtr()), mask = e.optionalScalar(load.getMask());
    e.checkBounds(op, pointer, 1, mask);
    e.map(load, e.emitScalarLoad(load.getType(), pointer, mask, e.optionalScalar(load.getOther()), isFresh(load)));
    return success();
  }
};

struct Store : EmissionModel<Store, tile::StoreOp> {
  Placement getPlacement(Operation *op) const {
    return isTile(op->getOperand(0)) ? Placement::Sink : Placement::Materialized;
  }

  void emitAt(Operation *op, Emitter &e, const Point &point) const { emitStore(e, cast<tile::StoreOp>(op), point); }

  LogicalResult emit(Operation *op, Emitter &e) const {
    auto store = cast<tile::StoreOp>(op);
    Value pointer = e.scalar(store.getPtr()), mask = e.optionalScalar(store.getMask());
    e.checkBounds(op, pointer, 1, mask);
    emitScalarStore(e, pointer, e.scalar(store.getValue()), mask);
    return success();
  }
};

/// Reads any element of its source.
struct Gather : EmissionModel<Gather, tile::GatherOp> {
  Placement getPlacement(Operation *) const { return Placement::Lazy; }

  OperandUse getOperandUse(Operation *op, OpOperand &operand) const {
    return &operand == &cast<tile::GatherOp>(op).getSrcMutable() ? OperandUse::InMemory : OperandUse::AtPoints;
  }

  Value evaluate(Operation *op, Emitter &e, OpResult, const Point &point) const {
    auto gather = cast<tile::GatherOp>(op);
    const Buffer &source = e.buffers.find(gather.getSrc())->second;
    Location loc = op->getLoc();
    Value indices = e.evaluate(gather.getIndices(), point);
    // All indices except the one along the axis are those of the point.
    Point along = point.first();
    along.index[gather.getAxis()] = e.i64(0);
    Value base = e.addressIn(source, along);
    int64_t width = std::max(Emitter::widthOf(indices), point.width);
    Type wide = Emitter::vectorOf(e.b.getI64Type(), width);
    Value index = e.broadcast(indices, width);
    if (!getElementTypeOrSelf(index.getType()).isInteger(64)) {
      index = arith::ExtSIOp::create(e.b, loc, wide, index);
    }
    Value offset = arith::MulIOp::create(e.b, loc, index, e.broadcast(e.i64(source.strides[gather.getAxis()]), width));
    if (width > 1 && point.vectorDim != int(gather.getAxis())) {
      auto lanes = llvm::to_vector(llvm::map_range(llvm::seq<int64_t>(0, width),
                                                   [&](int64_t i) { return i * source.strides[point.vectorDim]; }));
      Value own = e.constant(DenseElementsAttr::get(cast<VectorType>(wide), ArrayRef<int64_t>(lanes)));
      offset = arith::AddIOp::create(e.b, loc, offset, own);
    }
    Value addresses = e.addPointer(source.element, base, offset);
    Type inMemory = e.memoryType(source.element);
    if (width == 1) {
      return e.emitScalarLoad(source.element, addresses, {}, {});
    }
    Value loaded = LLVM::masked_gather::create(e.b, loc, Emitter::vectorOf(inMemory, width), addresses,
                                               e.allTrue(width), ValueRange(), bytesOf(inMemory));
    return e.fromMemory(loaded, source.element);
  }
};

} // namespace

void attachMemory(MLIRContext *context) {
  tile::LoadOp::attachInterface<Load>(*context);
  tile::StoreOp::attachInterface<Store>(*context);
  tile::GatherOp::attachInterface<Gather>(*context);
}

} // namespace tilewright::cpu
