// tile-pad: every size of a tile becomes a power of two, as layouts need it.
//
//     %r = tile.make_range 0 to 48                     %r = tile.make_range 0 to 64
//     %x = tile.load %p                         ->     %x = tile.load %p mask (%r < 48) other 0
//     %s = tile.reduce (%x) { addf }                   %y = select (%r < 48), %x, -0.0
//                                                      %s = tile.reduce (%y) { addf }
//
// Elements of the padding have any value, so only operations that access memory, that combine elements of different
// positions, or that have an effect for each element are corrected. First all types change, then these operations are
// corrected one by one; what they were is kept in a table.

#include "Combiners.h"
#include "Compact.h"
#include "Inside.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEPAD
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// An operation on tiles that are padded, and the shapes that they had.
struct Padded {
  Operation *op;
  SmallVector<SmallVector<int64_t>> operands, results;
};
} // namespace

//===----------------------------------------------------------------------===//
// What can be padded
//===----------------------------------------------------------------------===//

/// Whether each element of the results depends only on those at the same position, or the operation is corrected below,
/// or does not look at elements.
static bool isSupported(Operation *op) {
  return (op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op)) || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<MapOp, InlineAsmOp, CallLibraryOp, AtomicCASOp, MakeRangeOp, SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp,
             TransOp, JoinOp, SplitOp, CatOp, GatherOp, HintOp, AddPtrOp, PtrCastOp, IntToPtrOp, PtrToIntOp, LoadOp,
             StoreOp, AtomicRMWOp, DotOp, ReduceOp, ScanOp, HistogramOp, AssertOp, PrintOp>(op) ||
         isa<RegionBranchOpInterface, RegionBranchTerminatorOpInterface, CallOpInterface>(op) ||
         op->hasTrait<OpTrait::ReturnLike>();
}

static LogicalResult checkPadding(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    if (!needsPadding(type)) {
      continue;
    }
    if (cast<RankedTensorType>(type).getEncoding()) {
      return op->emitOpError("takes tiles with a layout only if their sizes are powers of two, found ") << type;
    }
    if (!isSupported(op)) {
      return op->emitOpError("takes tiles whose sizes are powers of two only, found ") << type;
    }
  }
  return success();
}

static SmallVector<SmallVector<int64_t>> shapesOf(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) { return SmallVector<int64_t>(getShape(type)); });
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static void padTypes(Operation *op) {
  for (Value result : op->getResults()) {
    result.setType(padded(result.getType()));
  }
  for (Region &region : op->getRegions()) {
    for (BlockArgument argument : region.getArguments()) {
      argument.setType(padded(argument.getType()));
    }
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto elements = dyn_cast<SplatElementsAttr>(constant.getValue())) {
      constant.setValueAttr(elements.resizeSplat(cast<ShapedType>(constant.getType())));
    }
  }
  if (auto function = dyn_cast<func::FuncOp>(op)) {
    auto pad = [](TypeRange types) { return llvm::map_to_vector(types, [](Type type) { return padded(type); }); };
    FunctionType type = function.getFunctionType();
    function.setFunctionType(FunctionType::get(op->getContext(), pad(type.getInputs()), pad(type.getResults())));
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static TypedAttr zeroOf(OpBuilder &builder, Value tile) { return builder.getZeroAttr(getElementType(tile.getType())); }

static Value maskPadding(OpBuilder &builder, Location loc, ArrayRef<int64_t> sizes, Value mask) {
  Value inside = isInside(builder, loc, sizes);
  return mask && inside ? arith::AndIOp::create(builder, loc, mask, inside).getResult() : inside ? inside : mask;
}

static void padRange(MakeRangeOp range) {
  OpBuilder builder(range);
  int64_t size = getShape(range.getType())[0], start = int32_t(range.getStart());
  if (start + size <= std::numeric_limits<int32_t>::max()) {
    range.setEnd(start + size);
    return;
  }
  // The end would overflow: count from 0 and add the start.
  Location loc = range.getLoc();
  Value fromZero = MakeRangeOp::create(builder, loc, 0, size);
  Value sum =
      arith::AddIOp::create(builder, loc, fromZero, splatInteger(builder, loc, getShape(range.getType()), start));
  range.replaceAllUsesWith(sum);
  range.erase();
}

static void padLoad(LoadOp load, ArrayRef<int64_t> sizes) {
  OpBuilder builder(load);
  load.getMaskMutable().assign(maskPadding(builder, load.getLoc(), sizes, load.getMask()));
  // Zeros, which a product needs in its padding, cost no more than unspecified elements.
  if (!load.getOther() && getElementType(load.getType()).isIntOrFloat()) {
    auto type = cast<RankedTensorType>(load.getType());
    Value zeros = splatConstant(builder, load.getLoc(), type, zeroOf(builder, load.getResult()));
    load.getOtherMutable().assign(zeros);
  }
}

template <typename OpTy> static void padUpdate(OpTy op, ArrayRef<int64_t> sizes) {
  OpBuilder builder(op);
  op.getMaskMutable().assign(maskPadding(builder, op.getLoc(), sizes, op.getMask()));
}

static void padAssert(AssertOp check, ArrayRef<int64_t> sizes) {
  OpBuilder builder(check);
  Value inside = isInside(builder, check.getLoc(), sizes);
  check.getCondMutable().assign(
      selectInside(builder, check.getLoc(), inside, check.getCond(), builder.getBoolAttr(true)));
}

static void padIndices(GatherOp gather, ArrayRef<int64_t> sizes) {
  OpBuilder builder(gather);
  Value inside = isInside(builder, gather.getLoc(), sizes);
  gather.getIndicesMutable().assign(
      selectInside(builder, gather.getLoc(), inside, gather.getIndices(), zeroOf(builder, gather.getIndices())));
}

static void padHistogram(HistogramOp histogram, ArrayRef<int64_t> sizes) {
  OpBuilder builder(histogram);
  Location loc = histogram.getLoc();
  // All ones are no bin, as elements are unsigned.
  Type element = getElementType(histogram.getSrc().getType());
  TypedAttr none = IntegerAttr::get(element, APInt::getAllOnes(element.getIntOrFloatBitWidth()));
  Value inside = isInside(builder, loc, sizes);
  histogram.getSrcMutable().assign(selectInside(builder, loc, inside, histogram.getSrc(), none));
  histogram.setBins(getShape(histogram.getType())[0]);
}

/// Whether the padding of a tile is zero, since it was loaded so, and at most converted and transposed since.
static bool hasZeroPadding(Value value) {
  if (matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat())) {
    return true;
  }
  if (auto load = value.getDefiningOp<LoadOp>()) {
    Value other = load.getOther();
    return other && (matchPattern(other, m_Zero()) || matchPattern(other, m_AnyZeroFloat()));
  }
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
                         arith::SIToFPOp, arith::UIToFPOp, arith::BitcastOp, TransOp>(op) &&
         hasZeroPadding(op->getOperand(0));
}

/// The inner dimension must be padded with zeros on both sides, because a zero times anything may be NaN.
static void padDot(DotOp dot, const Padded &was) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  int64_t rank = was.operands[0].size();
  auto pad = [&](OpOperand &operand, int64_t axis) {
    Value value = operand.get();
    if (hasZeroPadding(value)) {
      return;
    }
    Value inside = isInside(builder, loc, was.operands[operand.getOperandNumber()], axis);
    operand.set(selectInside(builder, loc, inside, value, zeroOf(builder, value)));
  };
  pad(dot.getAMutable(), rank - 1);
  pad(dot.getBMutable(), rank - 2);
}

/// Fills the padding with copies of elements, for an operation that calls a function: with other values it might not
/// end.
static void padWithElements(Operation *op, ArrayRef<SmallVector<int64_t>> shapes) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  for (auto [operand, sizes] : llvm::zip_equal(op->getOpOperands(), shapes)) {
    ArrayRef<int64_t> padded = getShape(operand.get().getType());
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      if (size == padded[dim] || isa_and_nonnull<SplatOp, arith::ConstantOp>(operand.get().getDefiningOp())) {
        continue;
      }
      Value position = positionsAlong(builder, loc, padded, dim), last = splatInteger(builder, loc, padded, size - 1);
      Value nearest = arith::MinSIOp::create(builder, loc, position, last);
      operand.set(GatherOp::create(builder, loc, operand.get(), nearest, dim));
    }
  }
}

static void correct(const Padded &was) {
  ArrayRef<SmallVector<int64_t>> operands = was.operands;
  llvm::TypeSwitch<Operation *>(was.op)
      .Case([](MakeRangeOp op) { padRange(op); })
      .Case([&](LoadOp op) { padLoad(op, operands[0]); })
      .Case<StoreOp, AtomicRMWOp, AtomicCASOp, PrintOp>([&](auto op) { padUpdate(op, operands[0]); })
      .Case([&](AssertOp op) { padAssert(op, operands[0]); })
      .Case([&](GatherOp op) { padIndices(op, operands[1]); })
      .Case([&](HistogramOp op) { padHistogram(op, operands[0]); })
      .Case([&](ReshapeOp op) { keepElements(op, operands[0], was.results[0]); })
      .Case([&](CatOp op) {
        if (!llvm::isPowerOf2_64(operands[0][0])) {
          closeGap(op, operands[0][0]);
        }
      })
      .Case([&](DotOp op) { padDot(op, was); })
      .Case([&](MapOp op) { padWithElements(op, operands); })
      .Case([&](InlineAsmOp op) {
        if (!op.getPure() && !op.getArgs().empty()) {
          padUpdate(op, operands[0]);
        }
      })
      .Case([&](CallLibraryOp op) {
        padWithElements(op, operands);
        if (!op.getPure() && !op.getArgs().empty()) {
          padUpdate(op, operands[0]);
        }
      })
      .Case<ReduceOp, ScanOp>([&](auto op) { ignorePadding(op, operands[0]); });
}

namespace {
struct Pad : tilewright::tile::impl::TilePadBase<Pad> {
  void runOnOperation() override {
    SmallVector<Padded> found;
    WalkResult checked = getOperation().walk([&](Operation *op) -> WalkResult {
      bool isPadded =
          llvm::any_of(op->getOperandTypes(), needsPadding) || llvm::any_of(op->getResultTypes(), needsPadding);
      if (isPadded) {
        found.push_back({op, shapesOf(op->getOperandTypes()), shapesOf(op->getResultTypes())});
      }
      return WalkResult(isPadded ? checkPadding(op) : success());
    });
    if (checked.wasInterrupted()) {
      return signalPassFailure();
    }
    if (found.empty()) {
      return markAllAnalysesPreserved();
    }
    getOperation().walk([](Operation *op) { padTypes(op); });
    llvm::for_each(found, correct);
  }
};
} // namespace
