// split-masks: splits operations on vectors of i1 into scalar ones. See Passes.td.

#include "tilewright/Dialect/Tile/Transforms/RewriteOrder.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilewright {
#define GEN_PASS_DEF_SPLITMASKS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

namespace {

bool isMask(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isInteger(1);
}

struct SplitElementwise : RewritePattern {
  explicit SplitElementwise(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    bool hasMask = llvm::any_of(op->getOperandTypes(), isMask) || llvm::any_of(op->getResultTypes(), isMask);
    if (!hasMask || !OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1) {
      return failure();
    }
    auto type = cast<VectorType>(op->getResult(0).getType());
    if (type.getRank() != 1 || type.isScalable()) {
      return failure();
    }
    SmallVector<Value> elements;
    for (int64_t index = 0; index < type.getNumElements(); ++index) {
      elements.push_back(emitElement(rewriter, op, index, type.getElementType()));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, elements);
    return success();
  }

private:
  static Value emitElement(PatternRewriter &rewriter, Operation *op, int64_t index, Type type) {
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands()) {
      bool isVector = isa<VectorType>(operand.getType());
      state.operands.push_back(isVector ? rewriter.createOrFold<vector::ExtractOp>(op->getLoc(), operand, index)
                                        : operand);
    }
    state.addTypes(type);
    state.addAttributes(op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    return rewriter.create(state)->getResult(0);
  }
};

struct SplitMasks : tilewright::impl::SplitMasksBase<SplitMasks> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SplitElementwise>(&getContext());
    if (failed(tilewright::tile::rewriteGreedily(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

} // namespace
