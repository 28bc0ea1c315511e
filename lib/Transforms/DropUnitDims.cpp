// drop-unit-dims: accesses to tiles of three and more dimensions lose dimensions of size 1. See Passes.td.
//
//     %p : tensor<1x128x64x!ptr>           %q = reshape %p : tensor<128x64x!ptr>
//     %x = load %p                    ->   %y = load %q
//     %z = reshape %x                      %z = %y
//
// The reshape of the pointers and of the mask moves up to where their dimensions were added:
//
//     reshape (broadcast %a), reshape (addi %a, %b), reshape (expand_dims %a)
//     -> broadcast (reshape %a), addi (reshape %a), (reshape %b), reshape %a

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/RewriteOrder.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace tilewright {
#define GEN_PASS_DEF_DROPUNITDIMS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

namespace {

using tilewright::tile::ReshapeOp;
namespace tile = tilewright::tile;
using Sizes = SmallVector<int64_t>;

/// The dimensions of `shape` that are not in `smaller`, if they have size 1 and the others are those of `smaller`.
std::optional<SmallVector<int>> addedUnits(ArrayRef<int64_t> smaller, ArrayRef<int64_t> shape) {
  SmallVector<int> added;
  size_t next = 0;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (next < smaller.size() && smaller[next] == size) {
      ++next;
    } else if (size == 1) {
      added.push_back(static_cast<int>(dim));
    } else {
      return std::nullopt;
    }
  }
  return next == smaller.size() ? std::optional(added) : std::nullopt;
}

Sizes without(ArrayRef<int64_t> shape, ArrayRef<int> dims) {
  Sizes sizes;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(dims, static_cast<int>(dim))) {
      sizes.push_back(size);
    }
  }
  return sizes;
}

/// The shape without its first dimensions of size 1, but at least two dimensions.
Sizes reduced(ArrayRef<int64_t> shape) {
  Sizes sizes;
  size_t surplus = shape.size() > 2 ? shape.size() - 2 : 0;
  for (int64_t size : shape) {
    if (size == 1 && surplus > 0) {
      --surplus;
    } else {
      sizes.push_back(size);
    }
  }
  return sizes;
}

Type withShape(Type type, ArrayRef<int64_t> shape) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? RankedTensorType::get(shape, tile.getElementType()) : type;
}

Value reshaped(PatternRewriter &rewriter, Value tile, ArrayRef<int64_t> shape) {
  Type type = withShape(tile.getType(), shape);
  return type == tile.getType() ? tile : ReshapeOp::create(rewriter, tile.getLoc(), type, tile, false).getResult();
}

/// The operation with tiles of another shape, and with everything else that it has.
Operation *withShape(PatternRewriter &rewriter, Operation *op, ArrayRef<int64_t> shape) {
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands()) {
    state.operands.push_back(isa<RankedTensorType>(operand.getType()) ? reshaped(rewriter, operand, shape) : operand);
  }
  for (Type type : op->getResultTypes()) {
    state.types.push_back(withShape(type, shape));
  }
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return rewriter.create(state);
}

struct ReduceAccess : OpInterfaceRewritePattern<tile::MemoryAccessOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(tile::MemoryAccessOpInterface access, PatternRewriter &rewriter) const override {
    auto pointers = dyn_cast<RankedTensorType>(access.getPtr().getType());
    bool hasProperties = access.getContiguityAttr() || access.getVectorWidthAttr(); // of each dimension
    if (!pointers || hasProperties || access->getNumRegions() > 0) {
      return failure();
    }
    Sizes shape = reduced(pointers.getShape());
    if (shape.size() == pointers.getShape().size()) {
      return failure();
    }
    Operation *smaller = withShape(rewriter, access, shape);
    SmallVector<Value> results;
    for (Value result : smaller->getResults()) {
      results.push_back(reshaped(rewriter, result, pointers.getShape()));
    }
    rewriter.replaceOp(access, results);
    return success();
  }
};

/// reshape(expand_dims(x)) -> reshape(x)
struct MergeExpandDims : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto expand = op.getSrc().getDefiningOp<tile::ExpandDimsOp>();
    if (!expand) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), expand.getSrc(), op.getAllowReorder());
    return success();
  }
};

/// reshape(x) -> expand_dims(x), which more passes understand.
struct ReshapeToExpandDims : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto added = addedUnits(tile::getShape(op.getSrc().getType()), tile::getShape(op.getType()));
    if (!added || added->empty()) {
      return failure();
    }
    Value tile = op.getSrc();
    for (int dim : *added) {
      tile = tile::ExpandDimsOp::create(rewriter, op.getLoc(), tile, dim);
    }
    rewriter.replaceOp(op, tile);
    return success();
  }
};

/// reshape(broadcast(x)) -> broadcast(reshape(x)), where the reshape drops dimensions of size 1.
struct RaiseAboveBroadcast : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getSrc().getDefiningOp<tile::BroadcastOp>();
    auto dropped =
        broadcast ? addedUnits(tile::getShape(op.getType()), tile::getShape(broadcast.getType())) : std::nullopt;
    if (!dropped || dropped->empty()) {
      return failure();
    }
    Sizes shape = without(tile::getShape(broadcast.getSrc().getType()), *dropped);
    Value source = reshaped(rewriter, broadcast.getSrc(), shape);
    rewriter.replaceOpWithNewOp<tile::BroadcastOp>(op, op.getType(), source);
    return success();
  }
};

/// reshape(f(x)) -> f(reshape(x)) for an elementwise f, where the reshape drops dimensions of size 1.
struct RaiseAboveElementwise : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    Operation *def = op.getSrc().getDefiningOp();
    if (!def || !isElementwise(def) || def->getNumResults() != 1 || !mayBeRepeated(def, op.getType())) {
      return failure();
    }
    Sizes shape(tile::getShape(op.getType()));
    auto dropped = addedUnits(shape, tile::getShape(def->getResult(0).getType()));
    if (!dropped || dropped->empty()) {
      return failure();
    }
    rewriter.setInsertionPoint(def);
    rewriter.replaceOp(op, withShape(rewriter, def, shape)->getResults());
    if (def->use_empty()) {
      rewriter.eraseOp(def); // now, since the next reshape asks for the uses of its operands
    }
    return success();
  }

private:
  static bool isElementwise(Operation *def) {
    bool isKnown = isa<arith::ArithDialect, math::MathDialect>(def->getDialect()) ||
                   isa<tile::AddPtrOp, tile::PtrCastOp, tile::IntToPtrOp, tile::PtrToIntOp>(def);
    return isKnown && OpTrait::hasElementwiseMappableTraits(def) && isPure(def);
  }
  /// Addresses and masks cost little. Other values are not computed again for uses that keep the dimensions.
  static bool mayBeRepeated(Operation *def, Type type) {
    return !isa<FloatType>(getElementTypeOrSelf(type)) || llvm::all_of(def->getUsers(), [&](Operation *user) {
      return isa<ReshapeOp>(user) && user->getResult(0).getType() == type;
    });
  }
};

struct DropUnitDims : tilewright::impl::DropUnitDimsBase<DropUnitDims> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    bool any = false;
    getOperation()->walk([&](tile::MemoryAccessOpInterface access) {
      auto pointers = dyn_cast<RankedTensorType>(access.getPtr().getType());
      any |= pointers && reduced(pointers.getShape()).size() < pointers.getShape().size();
    });
    if (!any) {
      return; // reshapes of other kernels stay as they are
    }
    RewritePatternSet patterns(context);
    patterns.add<ReduceAccess, MergeExpandDims, ReshapeToExpandDims, RaiseAboveBroadcast, RaiseAboveElementwise>(
        context);
    ReshapeOp::getCanonicalizationPatterns(patterns, context);
    tile::ExpandDimsOp::getCanonicalizationPatterns(patterns, context);
    if (failed(tile::rewriteGreedily(getOperation(), std::move(patterns)))) {
      return signalPassFailure();
    }
    // Each reshape has raised what it needs; accesses share it again.
    IRRewriter rewriter(context);
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }
};

} // namespace
