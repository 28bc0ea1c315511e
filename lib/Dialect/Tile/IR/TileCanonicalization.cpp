// Canonicalization patterns of the tile dialect: shape operations on splats become splats, chains of equal shape
// operations are merged, and constant masks are removed.

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright::tile;

namespace {
/// A shape operation on a splat is a splat of the same scalar.
template <typename ShapeOp> struct ReshapeSplat : OpRewritePattern<ShapeOp> {
  using OpRewritePattern<ShapeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ShapeOp op, PatternRewriter &rewriter) const override {
    auto splat = op.getSrc().template getDefiningOp<SplatOp>();
    if (!splat) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};

/// reshape(reshape(x)) -> reshape(x)
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().getDefiningOp<ReshapeOp>();
    if (!inner) {
      return failure();
    }
    bool reorder = op.getAllowReorder() || inner.getAllowReorder();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getSrc(), reorder);
    return success();
  }
};

/// broadcast(broadcast(x)) -> broadcast(x)
struct MergeBroadcasts : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().getDefiningOp<BroadcastOp>();
    if (!inner) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getSrc());
    return success();
  }
};

/// trans(trans(x)) -> trans(x), where dimension i is dimension inner[outer[i]].
struct MergeTransposes : OpRewritePattern<TransOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().getDefiningOp<TransOp>();
    if (!inner) {
      return failure();
    }
    SmallVector<int32_t> order;
    for (int32_t dim : op.getOrder()) {
      order.push_back(inner.getOrder()[dim]);
    }
    rewriter.replaceOpWithNewOp<TransOp>(op, op.getType(), inner.getSrc(), order);
    return success();
  }
};

/// hint(hint(x)) -> hint(x), unless both have different values for one attribute.
struct MergeHints : OpRewritePattern<HintOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(HintOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().getDefiningOp<HintOp>();
    if (!inner) {
      return failure();
    }
    auto either = [](DenseI32ArrayAttr one, DenseI32ArrayAttr other) { return one ? one : other; };
    auto clash = [](DenseI32ArrayAttr one, DenseI32ArrayAttr other) { return one && other && one != other; };
    if (clash(op.getContiguityAttr(), inner.getContiguityAttr()) ||
        clash(op.getDivisibilityAttr(), inner.getDivisibilityAttr()) ||
        clash(op.getConstancyAttr(), inner.getConstancyAttr())) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<HintOp>(op, op.getType(), inner.getSrc(),
                                        either(op.getContiguityAttr(), inner.getContiguityAttr()),
                                        either(op.getDivisibilityAttr(), inner.getDivisibilityAttr()),
                                        either(op.getConstancyAttr(), inner.getConstancyAttr()));
    return success();
  }
};

/// hint(splat(x)) -> splat(hint(x)): a divisor of each element is a divisor of the scalar.
struct HintOfSplat : OpRewritePattern<HintOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(HintOp op, PatternRewriter &rewriter) const override {
    auto splat = op.getSrc().getDefiningOp<SplatOp>();
    if (!splat) {
      return failure();
    }
    Value scalar = splat.getSrc();
    if (std::optional<ArrayRef<int32_t>> divisibility = op.getDivisibility()) {
      int32_t largest = *llvm::max_element(*divisibility);
      scalar = HintOp::create(rewriter, op.getLoc(), scalar.getType(), scalar, DenseI32ArrayAttr(),
                              rewriter.getDenseI32ArrayAttr(largest), DenseI32ArrayAttr());
    }
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), scalar);
    return success();
  }
};

/// Removes a mask that is all true; replaces a load with a mask that is all false by `other`.
struct DropConstantLoadMask : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const override {
    if (!op.getMask() || op.getIsVolatile()) {
      return failure();
    }
    if (matchPattern(op.getMask(), m_One())) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getOtherMutable().clear();
        op.getMaskMutable().clear();
      });
      return success();
    }
    if (op.getOther() && matchPattern(op.getMask(), m_Zero())) {
      rewriter.replaceOp(op, op.getOther());
      return success();
    }
    return failure();
  }
};

struct DropConstantStoreMask : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const override {
    if (!op.getMask()) {
      return failure();
    }
    if (matchPattern(op.getMask(), m_One())) {
      rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
      return success();
    }
    if (matchPattern(op.getMask(), m_Zero())) {
      rewriter.eraseOp(op);
      return success();
    }
    return failure();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeReshapes, ReshapeSplat<ReshapeOp>>(context);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeBroadcasts, ReshapeSplat<BroadcastOp>>(context);
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ReshapeSplat<ExpandDimsOp>>(context);
}

void TransOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeTransposes, ReshapeSplat<TransOp>>(context);
}

void HintOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<HintOfSplat, MergeHints>(context);
}

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropConstantLoadMask>(context);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropConstantStoreMask>(context);
}
