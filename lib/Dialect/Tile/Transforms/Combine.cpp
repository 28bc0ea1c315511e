// tile-combine: algebraic simplifications of tiles. Uniform values are computed once, as scalars or in a smaller tile,
// and an addition to a dot becomes its accumulator:
//
//     %p = tile.splat %base                         %b = tile.addptr %base, %o
//     %q = tile.addptr %p, %range             ->    %p = tile.splat %b
//     %r = tile.addptr %q, splat(%o)                %r = tile.addptr %p, %range

#include "Uniform.h"
#include "tilewright/Dialect/Tile/IR/ImpreciseSums.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/RewriteOrder.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECOMBINE
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Whether the operation is elementwise on tiles with one result.
static bool isElementwiseOnTiles(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 && isTile(op->getResult(0)) &&
         llvm::any_of(op->getOperands(), isTile);
}

/// Clones `op` with other operands and another result type, keeping its attributes, such as the requested precision.
static Value cloneOn(PatternRewriter &rewriter, Operation *op, ValueRange operands, Type type) {
  OperationState state(op->getLoc(), op->getName(), operands, type, op->getAttrs());
  return rewriter.create(state)->getResult(0);
}

/// Replaces an operation by a new one with the same discardable attributes.
template <typename New, typename... Arguments>
static void replaceBy(PatternRewriter &rewriter, Operation *op, Arguments &&...arguments) {
  auto made = New::create(rewriter, op->getLoc(), std::forward<Arguments>(arguments)...);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, made);
}

namespace {
/// exp(splat(x)) -> splat(exp(x))
struct ScalarizeUniform : RewritePattern {
  ScalarizeUniform(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isElementwiseOnTiles(op) ||
        !llvm::all_of(op->getOperands(), [](Value operand) { return !isTile(operand) || isUniform(operand); })) {
      return failure();
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(isTile(operand) ? getUniformScalar(rewriter, operand) : operand);
    }
    Type type = op->getResult(0).getType();
    Value scalar = cloneOn(rewriter, op, operands, getElementType(type));
    rewriter.replaceOpWithNewOp<SplatOp>(op, type, scalar);
    return success();
  }
};

/// addi(broadcast(x), broadcast(y)) -> broadcast(addi(x, y)); other operands may be uniform.
struct SinkBroadcast : RewritePattern {
  SinkBroadcast(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    RankedTensorType source = getSourceType(op);
    if (!source) {
      return failure();
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (auto broadcast = operand.getDefiningOp<BroadcastOp>()) {
        operands.push_back(broadcast.getSrc());
      } else {
        operands.push_back(isTile(operand) ? resizeUniform(rewriter, operand, source) : operand);
      }
    }
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value small = cloneOn(rewriter, op, operands, source.clone(type.getElementType()));
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, small);
    return success();
  }

  /// The type, apart from its elements, from which all operands that are not uniform are broadcast; null if there is
  /// not exactly one.
  static RankedTensorType getSourceType(Operation *op) {
    RankedTensorType found;
    if (!isElementwiseOnTiles(op)) {
      return found;
    }
    for (Value operand : llvm::make_filter_range(op->getOperands(), isTile)) {
      auto broadcast = operand.getDefiningOp<BroadcastOp>();
      if (!broadcast && isUniform(operand)) {
        continue;
      }
      if (!broadcast) {
        return {};
      }
      auto source = cast<RankedTensorType>(broadcast.getSrc().getType());
      if (found && found.clone(source.getElementType()) != source) {
        return {};
      }
      found = source;
    }
    return found;
  }
};

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// addi(addi(x, splat(a)), splat(b)) -> addi(x, splat(addi(a, b)))
struct MergeUniformSums : OpRewritePattern<arith::AddIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddIOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getLhs().getDefiningOp<arith::AddIOp>();
    if (!inner || !isTile(op) || !isUniform(op.getRhs()) || !isUniform(inner.getRhs())) {
      return failure();
    }
    Value sum = arith::AddIOp::create(rewriter, op.getLoc(), getUniformScalar(rewriter, inner.getRhs()),
                                      getUniformScalar(rewriter, op.getRhs()));
    Value splat = SplatOp::create(rewriter, op.getLoc(), op.getType(), sum);
    replaceBy<arith::AddIOp>(rewriter, op, inner.getLhs(), splat);
    return success();
  }
};

/// Moves splats to the right, as upstream does with constants.
struct UniformToTheRight : OpRewritePattern<arith::AddIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddIOp op, PatternRewriter &rewriter) const override {
    if (!op.getLhs().getDefiningOp<SplatOp>() || isUniform(op.getRhs())) {
      return failure();
    }
    rewriter.modifyOpInPlace(op, [&] { op->setOperands({op.getRhs(), op.getLhs()}); });
    return success();
  }
};

/// Adds a uniform offset to the scalar base of the addresses.
struct MoveOffsetToBase : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getPtr().getDefiningOp<AddPtrOp>();
    auto base = inner ? inner.getPtr().getDefiningOp<SplatOp>() : SplatOp();
    if (!base || !isUniform(op.getOffset())) {
      return failure();
    }
    Value offset = getUniformScalar(rewriter, op.getOffset());
    Value moved = AddPtrOp::create(rewriter, op.getLoc(), base.getSrc(), offset);
    Value splat = SplatOp::create(rewriter, op.getLoc(), op.getType(), moved);
    replaceBy<AddPtrOp>(rewriter, op, op.getType(), splat, inner.getOffset());
    return success();
  }
};

/// Merges 64-bit offsets, whose sum wraps like an address.
struct MergeOffsets : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getPtr().getDefiningOp<AddPtrOp>();
    if (!inner || !inner->hasOneUse() || inner.getOffset().getType() != op.getOffset().getType() ||
        !getElementType(op.getOffset().getType()).isInteger(64)) {
      return failure();
    }
    Value sum = arith::AddIOp::create(rewriter, op.getLoc(), inner.getOffset(), op.getOffset());
    replaceBy<AddPtrOp>(rewriter, op, op.getType(), inner.getPtr(), sum);
    return success();
  }
};

/// Whether the sum is as precise if the dot adds to it: Hopper adds products of 8-bit floats to an accumulator with
/// fewer bits than that has, unless the number of such products is limited.
static bool addsPrecisely(DotOp dot) {
  Type type = getElementType(dot.getA().getType());
  bool isByteFloat = isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
  return !isByteFloat || maxNumImpreciseAcc(dot) <= getShape(dot.getA().getType()).back();
}

/// add(dot(a, b, 0), c) -> dot(a, b, c)
template <typename AddOp> struct AccumulateIntoDot : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    for (auto [product, sum] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      auto dot = product.template getDefiningOp<DotOp>();
      // A dot in another block may be executed less often than the addition.
      if (!dot || !dot->hasOneUse() || dot->getBlock() != op->getBlock() || !isZero(dot.getAcc()) ||
          !addsPrecisely(dot)) {
        continue;
      }
      auto made = rewriter.replaceOpWithNewOp<DotOp>(op, op.getType(), dot.getA(), dot.getB(), sum, dot.getPrecision());
      made->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
      return success();
    }
    return failure();
  }

  static bool isZero(Value value) { return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat()); }
};

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// select(m, load(p, m), other) -> load(p, m, other)
struct SelectIntoLoad : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    auto load = op.getTrueValue().getDefiningOp<LoadOp>();
    if (!load || load.getIsVolatile() || load.getMask() != op.getCondition() ||
        (load.getOther() && !load->hasOneUse())) {
      return failure();
    }
    Value other = getBefore(load, op.getFalseValue(), rewriter);
    if (!other) {
      return failure();
    }
    rewriter.modifyOpInPlace(load, [&] { load.getOtherMutable().assign(other); });
    rewriter.replaceOp(op, load);
    return success();
  }

  /// `value` such that `load` can use it: it dominates the load, or is a constant, which is cloned; null otherwise.
  static Value getBefore(LoadOp load, Value value, PatternRewriter &rewriter) {
    Operation *def = value.getDefiningOp();
    if (def && def->hasTrait<OpTrait::ConstantLike>()) {
      rewriter.setInsertionPoint(load);
      return rewriter.clone(*def)->getResult(0);
    }
    bool isOutside = value.getParentRegion()->isProperAncestor(load->getParentRegion());
    bool isEarlier = !def ? value.getParentBlock() == load->getBlock()
                          : def->getBlock() == load->getBlock() && def->isBeforeInBlock(load);
    return isOutside || isEarlier ? value : Value();
  }
};

struct TileCombine : tilewright::tile::impl::TileCombineBase<TileCombine> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<ScalarizeUniform, SinkBroadcast, MergeUniformSums, UniformToTheRight, MoveOffsetToBase, MergeOffsets,
                 AccumulateIntoDot<arith::AddFOp>, AccumulateIntoDot<arith::AddIOp>, SelectIntoLoad>(context);
    HintOp::getCanonicalizationPatterns(patterns, context);
    if (failed(rewriteGreedily(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};
} // namespace
