// Verifiers, folders and canonicalization patterns of the tilegpu dialect.

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "tilewright/Hardware/NvidiaInstructions.h"
#include "tilewright/Layout/Algebra.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright::tilegpu;

//===----------------------------------------------------------------------===//
// Layout conversions
//===----------------------------------------------------------------------===//

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  return getSrc().getType() == getType() ? OpFoldResult(getSrc()) : OpFoldResult();
}

namespace {
/// Merges two consecutive conversions.
struct MergeConversions : OpRewritePattern<ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().getDefiningOp<ConvertLayoutOp>();
    if (!inner) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<ConvertLayoutOp>(op, op.getType(), inner.getSrc());
    return success();
  }
};

/// Creates a splat in the target layout: a splat has any layout at no cost.
struct ConvertSplat : OpRewritePattern<ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op, PatternRewriter &rewriter) const override {
    auto splat = op.getSrc().getDefiningOp<tilewright::tile::SplatOp>();
    if (!splat) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<tilewright::tile::SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};
} // namespace

void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeConversions, ConvertSplat>(context);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

LogicalResult LocalSlotOp::verify() {
  if (getType() != getSrc().getType().getSlot()) {
    return emitOpError("result must be ") << getSrc().getType().getSlot() << ", not " << getType();
  }
  auto ofIndex = getIndex().getDefiningOp<RingNextOp>();
  auto ofPhase = getPhase() ? getPhase().getDefiningOp<RingNextOp>() : RingNextOp();
  if (getPhase() && ofIndex != ofPhase) {
    return emitOpError("index and phase must be of the same position");
  }
  if (ofIndex && static_cast<int64_t>(ofIndex.getSlots()) != getSrc().getType().getSlots()) {
    return emitOpError("the position is one in a ring of ")
           << ofIndex.getSlots() << " slots, and the buffer has " << getSrc().getType().getSlots();
  }
  return success();
}

LogicalResult RingNextOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto slot = dyn_cast_or_null<IntegerAttr>(adaptor.getSlot());
  auto phase = dyn_cast_or_null<IntegerAttr>(adaptor.getPhase());
  if (!slot || !phase) {
    return failure();
  }
  int64_t next = slot.getInt() + 1;
  bool isEnd = next == static_cast<int64_t>(getSlots());
  results.push_back(IntegerAttr::get(getNext().getType(), isEnd ? 0 : next));
  results.push_back(BoolAttr::get(getContext(), phase.getValue().isZero() == isEnd));
  return success();
}

static LogicalResult checkSlot(Operation *op, BufferType buffer) {
  if (buffer.getSlots() != 1) {
    return op->emitOpError("needs one slot of the buffer, not the multi-slot buffer ") << buffer;
  }
  return success();
}

/// Checks that a tile and the buffer that it moves to or from have the same shape and element type.
static LogicalResult checkMove(Operation *op, Type tile, BufferType buffer) {
  auto ranked = cast<RankedTensorType>(tile);
  if (ranked.getShape() != buffer.getShape() || ranked.getElementType() != buffer.getElementType()) {
    return op->emitOpError("moves ") << ranked << ", but the buffer is " << buffer;
  }
  return checkSlot(op, buffer);
}

LogicalResult LocalStoreOp::verify() { return checkMove(*this, getSrc().getType(), getBuffer().getType()); }

/// Whether a part of this shape can begin at `start` of the whole: at multiples of its own sizes.
static bool isPart(ArrayRef<int64_t> part, ArrayRef<int64_t> start, ArrayRef<int64_t> whole) {
  bool fits = part.size() == whole.size() && start.size() == whole.size();
  for (size_t dim = 0; fits && dim < whole.size(); ++dim) {
    fits = start[dim] >= 0 && start[dim] % part[dim] == 0 && start[dim] + part[dim] <= whole[dim];
  }
  return fits;
}

LogicalResult ExtractSliceOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), part = cast<RankedTensorType>(getType());
  if (!isPart(part.getShape(), getStart(), source.getShape()) || part.getElementType() != source.getElementType()) {
    return emitOpError("takes ") << part << " from [" << getStart() << "], but the tile is " << source;
  }
  std::optional<tilewright::layout::LinearLayout> map = mapOf(source);
  for (int dim = 0; map && dim < part.getRank(); ++dim) {
    map = tilewright::layout::firstPart(*map, tilewright::layout::dimName(dim), part.getDimSize(dim));
  }
  if (map != mapOf(part)) {
    return emitOpError("takes ") << part << " from " << source << ", whose threads do not hold it in this layout";
  }
  return success();
}

LogicalResult LocalLoadOp::verify() {
  BufferType buffer = getBuffer().getType();
  std::optional<ArrayRef<int64_t>> start = getStart();
  if (!start) {
    return checkMove(*this, getType(), buffer);
  }
  if (!isPart(getType().getShape(), *start, buffer.getShape()) ||
      getType().getElementType() != buffer.getElementType()) {
    return emitOpError("reads ") << getType() << " from [" << *start << "], but the buffer is " << buffer;
  }
  return checkSlot(*this, buffer);
}

LogicalResult LocalGatherOp::verify() {
  BufferType buffer = getBuffer().getType();
  ArrayRef<int64_t> source = buffer.getShape(), indices = getIndices().getType().getShape();
  size_t axis = getAxis();
  bool fits = source.size() == indices.size() && axis < source.size() &&
              source.take_front(axis) == indices.take_front(axis) &&
              source.drop_front(axis + 1) == indices.drop_front(axis + 1);
  if (!fits || getType().getShape() != indices || getType().getElementType() != buffer.getElementType()) {
    return emitOpError("cannot gather ") << getType() << " from " << buffer << " along " << axis << " by "
                                         << getIndices().getType();
  }
  return checkSlot(*this, buffer);
}

LogicalResult LocalHistogramOp::verify() {
  BufferType buffer = getBuffer().getType();
  if (buffer.getShape().size() != 1 || !buffer.getElementType().isInteger(32)) {
    return emitOpError("needs a buffer of rank 1 with elements of type i32, not ") << buffer;
  }
  return checkSlot(*this, buffer);
}

LogicalResult AsyncCopyOp::verify() {
  Type pointee = tilewright::tile::getPointeeType(getPtr().getType());
  if (!isa<RankedTensorType>(pointee)) {
    return emitOpError("copies a tile, not ") << pointee;
  }
  return checkMove(*this, pointee, getBuffer().getType());
}

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

LogicalResult MmaOp::verify() {
  ArrayRef<int64_t> a = getA().getType().getShape(), b = getB().getType().getShape();
  ArrayRef<int64_t> c = getType().getShape();
  size_t rank = c.size();
  bool isMatrix = (rank == 2 || rank == 3) && a.size() == rank && b.size() == rank;
  if (!isMatrix || a[rank - 2] != c[rank - 2] || b[rank - 1] != c[rank - 1] || a[rank - 1] != b[rank - 2] ||
      a.drop_back(2) != c.drop_back(2) || b.drop_back(2) != c.drop_back(2)) {
    return emitOpError("the shapes are incompatible: ")
           << getA().getType() << " by " << getB().getType() << " into " << getType();
  }
  const tilewright::hardware::MmaInstruction *row = tilewright::hardware::lookupMma(getInstruction());
  if (!row) {
    return emitOpError("there is no instruction ") << getInstruction();
  }
  auto isElement = [](RankedTensorType tile, tilewright::hardware::ElementType type) {
    return 8 * bytesOf(tile.getElementType()) == tilewright::hardware::bitsOf(type);
  };
  if (!isElement(getA().getType(), row->a().element) || !isElement(getB().getType(), row->b().element) ||
      !isElement(getType(), row->c().element)) {
    return emitOpError("the element types do not match the instruction ") << getInstruction();
  }
  return success();
}

void GroupMmaOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()}) {
    if (isa<BufferType>(operand->get().getType())) {
      effects.emplace_back(MemoryEffects::Read::get(), operand, SharedMemory::get());
    }
  }
}

namespace {
/// An operand of a group_mma, as the matrix that it is.
struct GroupOperand {
  SmallVector<int64_t> shape;
  Type element;

  GroupOperand(Type type, bool isTransposed) {
    auto buffer = dyn_cast<BufferType>(type);
    shape.assign(buffer ? buffer.getShape() : cast<RankedTensorType>(type).getShape());
    element = buffer ? buffer.getElementType() : cast<RankedTensorType>(type).getElementType();
    if (isTransposed) {
      std::reverse(shape.begin(), shape.end());
    }
  }

  bool is(tilewright::hardware::ElementType type) const {
    return 8 * bytesOf(element) == tilewright::hardware::bitsOf(type);
  }
};
} // namespace

LogicalResult GroupMmaOp::verify() {
  const tilewright::hardware::GroupMmaInstruction *row = tilewright::hardware::lookupGroupMma(getInstruction());
  if (!row) {
    return emitOpError("there is no instruction ") << getInstruction();
  }
  GroupOperand a(getA().getType(), getTransposedA()), b(getB().getType(), getTransposedB());
  GroupOperand c(getType(), getTransposedC());
  bool isMatrix = a.shape.size() == 2 && b.shape.size() == 2 && c.shape.size() == 2;
  if (!isMatrix || a.shape[0] != c.shape[0] || b.shape[1] != c.shape[1] || a.shape[1] != b.shape[0]) {
    return emitOpError("the shapes are incompatible: ")
           << getA().getType() << " by " << getB().getType() << " into " << getType();
  }
  if (!a.is(row->a) || !b.is(row->b) || !c.is(row->accumulator)) {
    return emitOpError("the element types do not match the instruction ") << getInstruction();
  }
  if (getRegisterA() && isa<BufferType>(getA().getType())) {
    return emitOpError("has a buffer as the operand in registers");
  }
  if (getContinues() && !getAsync()) {
    return emitOpError("waits for sums that may begin at zero, which only asynchronous ones do");
  }
  for (Type type : {getA().getType(), getB().getType()}) {
    if (auto buffer = dyn_cast<BufferType>(type); buffer && failed(checkSlot(*this, buffer))) {
      return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

static int64_t countJointBarriers(mlir::Region &region) {
  int64_t count = 0;
  region.walk([&](BarrierOp barrier) { count += barrier.getJoint(); });
  return count;
}

/// What the warp groups have after the exchange must fit into what the kernel started with: otherwise they wait for
/// registers forever.
static LogicalResult verifyRegisters(SpecializeWarpsOp op, ArrayRef<int32_t> counts) {
  using tilewright::hardware::MovedRegisters;
  auto started = op->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(TileGPUDialect::kRegistersAttr);
  bool areValid = counts.size() == 2 && llvm::all_of(counts, MovedRegisters::isValid);
  if (!started || !areValid) {
    return op.emitOpError("needs `tilegpu.registers` and two numbers of registers, multiples of 8 from 24 to 256");
  }
  int64_t consumers = threadsOf(op).warps, all = launchedThreads(op).warps, first = started.getInt();
  bool fits =
      counts[0] <= first && first <= counts[1] && counts[0] * (all - consumers) + counts[1] * consumers <= first * all;
  return fits ? success() : op.emitOpError("has more registers than the kernel starts with");
}

LogicalResult SpecializeWarpsOp::verify() {
  if (countJointBarriers(getProducer()) != countJointBarriers(getConsumers())) {
    return emitOpError("has regions with different numbers of joint barriers");
  }
  if (launchedThreads(*this).warps == threadsOf(*this).warps) {
    return emitOpError("needs `tilegpu.producer_warps` on the module");
  }
  if (threadsOf(*this).warps % tilewright::hardware::GroupMmaInstruction::kWarps != 0) {
    return emitOpError("needs consumers that are whole warp groups");
  }
  return getRegisters() ? verifyRegisters(*this, *getRegisters()) : success();
}
