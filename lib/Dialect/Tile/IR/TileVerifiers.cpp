// Verifiers and result type inference of the tile dialect. Messages say what was found and what was expected, in the
// terms of the language.

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/IR/TileEncoding.h"

using namespace mlir;
using namespace tilewright::tile;

#include "tilewright/Dialect/Tile/IR/TileEncoding.cpp.inc"

//===----------------------------------------------------------------------===//
// Result types
//===----------------------------------------------------------------------===//

// Inference runs before the operands' types are verified, and also for operations that turn out to be invalid.

using Inferred = SmallVectorImpl<Type>;
using MaybeLocation = std::optional<Location>;

/// The type of an operand that has to be a tile; null after an error if it is a scalar.
static RankedTensorType tileType(MaybeLocation loc, Value operand) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type) {
    (void)emitOptionalError(loc, "takes a tile, found ", operand.getType());
  }
  return type;
}

static std::string print(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(shape, stream, "x");
  return text;
}

/// The type of a result with the elements of `src` in another shape. `derive` derives its encoding from that of `src`.
/// Null after an error if that does not determine it.
static RankedTensorType changeShape(MaybeLocation loc, RankedTensorType src, ArrayRef<int64_t> shape,
                                    function_ref<Attribute(EncodingAttrInterface)> derive) {
  Attribute encoding = src.getEncoding();
  if (encoding) {
    auto rules = dyn_cast<EncodingAttrInterface>(encoding);
    encoding = rules ? derive(rules) : Attribute();
    if (!encoding) {
      (void)emitOptionalError(loc, "the layout of ", src, " determines none for the result, of shape ", print(shape));
      return {};
    }
  }
  return RankedTensorType::get(shape, src.getElementType(), encoding);
}

static LogicalResult append(Inferred &types, Type type) {
  if (type) {
    types.push_back(type);
  }
  return success(static_cast<bool>(type));
}

LogicalResult MakeRangeOp::inferReturnTypes(MLIRContext *context, MaybeLocation loc, MakeRangeOp::Adaptor op,
                                            Inferred &types) {
  int64_t start = static_cast<int32_t>(op.getStart()), end = static_cast<int32_t>(op.getEnd());
  if (end <= start) {
    return emitOptionalError(loc, "end must be greater than start, found ", start, " to ", end);
  }
  types.push_back(RankedTensorType::get({end - start}, IntegerType::get(context, 32)));
  return success();
}

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *, MaybeLocation loc, ExpandDimsOp::Adaptor op,
                                             Inferred &types) {
  auto src = tileType(loc, op.getSrc());
  if (!src) {
    return failure();
  }
  int64_t axis = op.getAxis();
  if (axis < 0 || axis > src.getRank()) {
    return emitOptionalError(loc, "axis ", axis, " is out of range: ", src, " takes a new dimension at 0 to ",
                             src.getRank());
  }
  SmallVector<int64_t> shape(src.getShape());
  shape.insert(shape.begin() + axis, 1);
  return append(types, changeShape(loc, src, shape, [&](auto encoding) { return encoding.expandDims(axis); }));
}

LogicalResult TransOp::inferReturnTypes(MLIRContext *, MaybeLocation loc, TransOp::Adaptor op, Inferred &types) {
  auto src = tileType(loc, op.getSrc());
  if (!src) {
    return failure();
  }
  ArrayRef<int32_t> order = op.getOrder();
  SmallVector<bool> seen(src.getRank());
  SmallVector<int64_t> shape;
  if (order.size() != size_t(src.getRank())) {
    return emitOptionalError(loc, "order names ", order.size(), " dimensions, but ", src, " has ", src.getRank());
  }
  for (int32_t dim : order) {
    if (dim < 0 || dim >= src.getRank() || seen[dim]) {
      return emitOptionalError(loc, "order must name each of the ", src.getRank(), " dimensions once; dimension ", dim,
                               dim < 0 || dim >= src.getRank() ? " does not exist" : " is repeated");
    }
    seen[dim] = true;
    shape.push_back(src.getDimSize(dim));
  }
  return append(types, changeShape(loc, src, shape, [&](auto encoding) { return encoding.permute(order); }));
}

LogicalResult JoinOp::inferReturnTypes(MLIRContext *, MaybeLocation loc, JoinOp::Adaptor op, Inferred &types) {
  auto src = tileType(loc, op.getLhs());
  if (!src) {
    return failure();
  }
  SmallVector<int64_t> shape(src.getShape());
  shape.push_back(2);
  return append(types, changeShape(loc, src, shape, [](auto encoding) { return encoding.join(); }));
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, MaybeLocation loc, SplitOp::Adaptor op, Inferred &types) {
  auto src = tileType(loc, op.getSrc());
  if (!src) {
    return failure();
  }
  if (src.getRank() == 0 || src.getShape().back() != 2) {
    return emitOptionalError(loc, "only a tile whose last dimension has size 2 can be split, found ", src);
  }
  auto half = changeShape(loc, src, src.getShape().drop_back(), [](auto encoding) { return encoding.split(); });
  return success(succeeded(append(types, half)) && succeeded(append(types, half)));
}

LogicalResult CatOp::inferReturnTypes(MLIRContext *, MaybeLocation loc, CatOp::Adaptor op, Inferred &types) {
  auto src = tileType(loc, op.getLhs());
  if (!src) {
    return failure();
  }
  if (src.getRank() == 0) {
    return emitOptionalError(loc, "needs a dimension to join along, found ", src);
  }
  SmallVector<int64_t> shape(src.getShape());
  shape[0] *= 2;
  return append(types, changeShape(loc, src, shape, [](auto encoding) { return encoding.concatenate(); }));
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, MaybeLocation loc, GatherOp::Adaptor op, Inferred &types) {
  auto indices = tileType(loc, op.getIndices());
  if (!indices) {
    return failure();
  }
  types.push_back(indices.clone(getElementType(op.getSrc().getType())));
  return success();
}

LogicalResult HistogramOp::inferReturnTypes(MLIRContext *context, MaybeLocation, HistogramOp::Adaptor op,
                                            Inferred &types) {
  types.push_back(RankedTensorType::get({op.getBins()}, IntegerType::get(context, 32)));
  return success();
}

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, MaybeLocation loc, LoadOp::Adaptor op, Inferred &types) {
  Type pointers = op.getPtr().getType();
  if (!isa<PtrType>(getElementType(pointers))) {
    return emitOptionalError(loc, "takes pointers, found ", pointers);
  }
  types.push_back(getPointeeType(pointers));
  return success();
}

/// The axis of a reduction or scan must exist in every operand.
template <typename Adaptor> static LogicalResult checkAxis(MaybeLocation loc, Adaptor op) {
  if (op.getOperands().empty()) {
    return emitOptionalError(loc, "needs at least one operand");
  }
  for (Value operand : op.getOperands()) {
    auto type = tileType(loc, operand);
    if (!type) {
      return failure();
    }
    if (op.getAxis() >= uint32_t(type.getRank())) {
      return emitOptionalError(loc, "axis ", op.getAxis(), " is out of range: ", type, " has ", type.getRank(),
                               " dimensions");
    }
  }
  return success();
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, MaybeLocation loc, ReduceOp::Adaptor op, Inferred &types) {
  if (failed(checkAxis(loc, op))) {
    return failure();
  }
  for (Value operand : op.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + op.getAxis());
    Type result = type.getElementType();
    if (!shape.empty()) {
      result = changeShape(loc, type, shape, [&](auto encoding) { return encoding.reduce(op.getAxis()); });
    }
    if (failed(append(types, result))) {
      return failure();
    }
  }
  return success();
}

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, MaybeLocation loc, ScanOp::Adaptor op, Inferred &types) {
  if (failed(checkAxis(loc, op))) {
    return failure();
  }
  llvm::append_range(types, op.getOperands().getTypes());
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Null stands for failure.
static FailureOr<RankedTensorType> inferred(RankedTensorType type) {
  if (type) {
    return type;
  }
  return failure();
}

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult checkBroadcast(EmitError emitError, RankedTensorType src, RankedTensorType dst) {
  if (src.getRank() != dst.getRank()) {
    return emitError() << "must keep the rank, found " << src << " to " << dst;
  }
  for (int64_t dim = 0; dim < src.getRank(); ++dim) {
    if (src.getDimSize(dim) != 1 && src.getDimSize(dim) != dst.getDimSize(dim)) {
      return emitError() << "cannot broadcast dimension " << dim << " of size " << src.getDimSize(dim) << " to size "
                         << dst.getDimSize(dim) << "; only size 1 can be broadcast";
    }
  }
  return success();
}

LogicalResult BroadcastOp::verify() {
  return checkBroadcast([&] { return emitOpError(); }, cast<RankedTensorType>(getSrc().getType()),
                        cast<RankedTensorType>(getType()));
}

FailureOr<RankedTensorType> tilewright::tile::inferBroadcastType(Location loc, RankedTensorType src,
                                                                 ArrayRef<int64_t> shape, Attribute encoding) {
  auto plain = RankedTensorType::get(shape, src.getElementType());
  if (failed(checkBroadcast([&] { return mlir::emitError(loc); }, src, plain))) {
    return failure();
  }
  if (!encoding) {
    auto type = changeShape(loc, src, shape, [&](auto rules) { return rules.broadcast(shape); });
    return inferred(type);
  }
  auto type = RankedTensorType::getChecked([&] { return mlir::emitError(loc); }, shape, src.getElementType(), encoding);
  if (!type) {
    return failure();
  }
  auto rules = dyn_cast_or_null<EncodingAttrInterface>(src.getEncoding());
  if (src.getEncoding() && !(rules && rules.broadcastsTo(encoding))) {
    return mlir::emitError(loc) << "the layout of " << src
                                << " does not fit that of the tile to which it is broadcast, " << type;
  }
  return type;
}

static LogicalResult checkReshape(EmitError emitError, RankedTensorType src, RankedTensorType dst) {
  if (src.getNumElements() != dst.getNumElements()) {
    return emitError() << "cannot reshape the " << src.getNumElements() << " elements of " << src << " into the "
                       << dst.getNumElements() << " of " << dst;
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  return checkReshape([&] { return emitOpError(); }, cast<RankedTensorType>(getSrc().getType()),
                      cast<RankedTensorType>(getType()));
}

FailureOr<RankedTensorType> tilewright::tile::inferReshapeType(Location loc, RankedTensorType src,
                                                               ArrayRef<int64_t> shape) {
  auto plain = RankedTensorType::get(shape, src.getElementType());
  if (failed(checkReshape([&] { return mlir::emitError(loc); }, src, plain))) {
    return failure();
  }
  auto type = changeShape(loc, src, shape, [&](auto encoding) { return encoding.reshape(shape); });
  return inferred(type);
}

LogicalResult GatherOp::verify() {
  auto src = cast<RankedTensorType>(getSrc().getType()), indices = cast<RankedTensorType>(getIndices().getType());
  if (src.getRank() != indices.getRank()) {
    return emitOpError("needs a source and indices of the same rank, found ") << src << " and " << indices;
  }
  if (getAxis() >= uint32_t(src.getRank())) {
    return emitOpError("axis ") << getAxis() << " is out of range: " << src << " has " << src.getRank()
                                << " dimensions";
  }
  for (int64_t dim = 0; dim < src.getRank(); ++dim) {
    if (dim != int64_t(getAxis()) && src.getDimSize(dim) != indices.getDimSize(dim)) {
      return emitOpError("source ") << src << " and indices " << indices << " differ in dimension " << dim
                                    << ", which is not the axis";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

LogicalResult HintOp::verify() {
  size_t rank = std::max<size_t>(1, getShape(getType()).size());
  for (StringAttr name : {getContiguityAttrName(), getDivisibilityAttrName(), getConstancyAttrName()}) {
    auto entries = (*this)->getAttrOfType<DenseI32ArrayAttr>(name);
    bool fits = !entries || (size_t(entries.size()) == rank &&
                             llvm::all_of(entries.asArrayRef(), [](int32_t entry) { return entry > 0; }));
    if (!fits) {
      return emitOpError() << name.getValue() << " of " << getType() << " must have " << rank
                           << (rank == 1 ? " positive integer" : " positive integers") << ", found " << entries;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Checks that `type`, named `what`, has the shape of the pointers.
static LogicalResult checkShape(Operation *op, Type pointers, Type type, StringRef what) {
  if (getShape(pointers) == getShape(type) && isa<TensorType>(pointers) == isa<TensorType>(type)) {
    return success();
  }
  return op->emitOpError() << what << " must have the shape of the pointers, " << pointers << ", found " << type;
}

/// Checks that `type` is the pointee type.
static LogicalResult checkPointee(Operation *op, Type pointers, Type type, StringRef what) {
  if (failed(checkShape(op, pointers, type, what))) {
    return failure();
  }
  if (getPointeeType(pointers) == type) {
    return success();
  }
  return op->emitOpError() << what << " must be " << getPointeeType(pointers) << ", the pointee type of " << pointers
                           << ", found " << type;
}

LogicalResult PtrCastOp::verify() {
  auto src = cast<PtrType>(getElementType(getSrc().getType())), dst = cast<PtrType>(getElementType(getType()));
  if (src.getAddressSpace() != dst.getAddressSpace()) {
    return emitOpError("must keep the address space, found ") << src << " to " << dst;
  }
  return success();
}

LogicalResult BytesType::verify(function_ref<InFlightDiagnostic()> emitError, unsigned size, unsigned alignment) {
  if (!llvm::isPowerOf2_32(alignment) || alignment < 8 || size == 0 || size % alignment != 0) {
    return emitError() << "the alignment must be a power of two of at least 8, and the size a multiple of it, found "
                       << size << " bytes aligned to " << alignment;
  }
  return success();
}

LogicalResult ReadBytesOp::verify() {
  unsigned bytes = getType().isIntOrFloat() ? getType().getIntOrFloatBitWidth() / 8 : 8;
  unsigned offset = static_cast<unsigned>(getOffset()), size = getBytes().getType().getSize();
  if (offset % bytes != 0 || offset > size || size - offset < bytes) {
    return emitOpError() << "cannot read " << bytes << " bytes at offset " << offset << " of " << size
                         << ": the offset must be a multiple of " << bytes << ", and all must be inside";
  }
  return success();
}

LogicalResult AddPtrOp::verify() { return checkShape(*this, getPtr().getType(), getOffset().getType(), "offset"); }

/// Checks for a power of two for each dimension of a tile of pointers, and for no attribute on a scalar access.
static LogicalResult checkPowers(Operation *op, DenseI64ArrayAttr powers, Type pointers, StringRef what) {
  if (!powers) {
    return success();
  }
  ArrayRef<int64_t> shape = getShape(pointers);
  bool arePowers = llvm::all_of(powers.asArrayRef(), [](int64_t power) { return llvm::isPowerOf2_64(power); });
  if (isa<TensorType>(pointers) && powers.size() == int64_t(shape.size()) && arePowers) {
    return success();
  }
  return op->emitOpError() << what << " must have a power of two for each dimension of " << pointers << ", found "
                           << powers;
}

LogicalResult tilewright::tile::detail::verifyMemoryAccess(Operation *op) {
  auto access = cast<MemoryAccessOpInterface>(op);
  Type pointers = access.getPtr().getType();
  return success(succeeded(checkPowers(op, access.getContiguityAttr(), pointers, "contiguity")) &&
                 succeeded(checkPowers(op, access.getVectorWidthAttr(), pointers, "width")));
}

LogicalResult LoadOp::verify() {
  Type ptr = getPtr().getType();
  if (getMask() && failed(checkShape(*this, ptr, getMask().getType(), "mask"))) {
    return failure();
  }
  if (!getOther()) {
    return success();
  }
  if (!getMask()) {
    return emitOpError("has `other`, the value where the mask is false, but no mask");
  }
  return checkPointee(*this, ptr, getOther().getType(), "other value");
}

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), Memory::get());
  // A volatile access must be neither removed nor duplicated.
  if (getIsVolatile()) {
    effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable(), Memory::get());
  }
}

LogicalResult StoreOp::verify() {
  Type ptr = getPtr().getType();
  if (getMask() && failed(checkShape(*this, ptr, getMask().getType(), "mask"))) {
    return failure();
  }
  return checkPointee(*this, ptr, getValue().getType(), "value");
}

LogicalResult AtomicRMWOp::verify() {
  Type ptr = getPtr().getType();
  if (getMask() && failed(checkShape(*this, ptr, getMask().getType(), "mask"))) {
    return failure();
  }
  Type element = getElementType(getValue().getType());
  bool wantsFloat = getKind() == RMWKind::FAdd;
  if (getKind() != RMWKind::Xchg && (wantsFloat ? !isa<FloatType>(element) : !isa<IntegerType>(element))) {
    return emitOpError() << stringifyRMWKind(getKind()) << " combines " << (wantsFloat ? "floats" : "integers")
                         << ", found " << element;
  }
  return checkPointee(*this, ptr, getValue().getType(), "value");
}

LogicalResult AtomicCASOp::verify() {
  Type ptr = getPtr().getType();
  if (getMask() && failed(checkShape(*this, ptr, getMask().getType(), "mask"))) {
    return failure();
  }
  return checkPointee(*this, ptr, getValue().getType(), "value");
}

LogicalResult AtomicPollOp::verify() {
  if (getSem() != MemSemantic::Acquire && getSem() != MemSemantic::Relaxed) {
    return emitOpError("must be acquire or relaxed, found ") << stringifyMemSemantic(getSem());
  }
  return checkPointee(*this, getPtr().getType(), getExpected().getType(), "expected value");
}

//===----------------------------------------------------------------------===//
// Operations over whole tiles
//===----------------------------------------------------------------------===//

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  int64_t rank = a.getRank();
  if ((rank != 2 && rank != 3) || b.getRank() != rank || acc.getRank() != rank) {
    return emitOpError("takes tiles of rank 2 or 3, found ") << a << ", " << b << " and " << acc;
  }
  bool isFloat = isa<FloatType>(a.getElementType());
  if (isFloat != isa<FloatType>(b.getElementType()) || isFloat != isa<FloatType>(acc.getElementType())) {
    return emitOpError("operands must be all floats or all integers, found ") << a << " times " << b << " into " << acc;
  }
  SmallVector<int64_t> expected(a.getShape().drop_back());
  expected.push_back(b.getShape().back());
  if (a.getShape()[rank - 1] != b.getShape()[rank - 2] || acc.getShape() != ArrayRef(expected) ||
      (rank == 3 && a.getDimSize(0) != b.getDimSize(0))) {
    return emitOpError("takes MxK times KxN into MxN, found ") << a << " times " << b << " into " << acc;
  }
  return success();
}

/// Checks for two arguments and one yielded value per operand, of the operands' element types.
template <typename OpT> static LogicalResult verifyCombiner(OpT op) {
  Block &body = op.getCombiner().front();
  SmallVector<Type> elements;
  for (Value operand : op.getOperands()) {
    elements.push_back(getElementType(operand.getType()));
  }
  SmallVector<Type> expected(elements);
  expected.append(elements);
  if (!llvm::equal(body.getArgumentTypes(), expected)) {
    return op.emitOpError("combiner must take ")
           << ArrayRef(expected) << ", two of each operand's element type, found " << body.getArgumentTypes();
  }
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield) {
    return op.emitOpError("combiner must end in tile.yield, found ") << body.getTerminator()->getName();
  }
  if (!llvm::equal(yield.getValues().getTypes(), elements)) {
    return op.emitOpError("combiner must yield ")
           << ArrayRef(elements) << ", one of each operand's element type, found " << yield.getValues().getTypes();
  }
  return success();
}

/// The element types of tiles, each repeated.
static SmallVector<Type> repeatElements(TypeRange tiles, unsigned times) {
  SmallVector<Type> types;
  for (Type tile : tiles) {
    types.append(times, getElementType(tile));
  }
  return types;
}

LogicalResult MapOp::verifyRegions() {
  if (getSources().empty() || getResults().empty() || !llvm::isPowerOf2_32(getPack())) {
    return emitOpError("needs operands, results, and a `pack` that is a power of two, found ") << getPack();
  }
  Block &body = getBody().front();
  SmallVector<Type> taken = repeatElements(getSources().getTypes(), getPack());
  SmallVector<Type> yielded = repeatElements(getResultTypes(), getPack());
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!llvm::equal(body.getArgumentTypes(), taken) || !yield || !llvm::equal(yield.getValues().getTypes(), yielded)) {
    return emitOpError("function must take ") << ArrayRef(taken) << " and yield " << ArrayRef(yielded);
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombiner(*this); }
LogicalResult ScanOp::verifyRegions() { return verifyCombiner(*this); }
