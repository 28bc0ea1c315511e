// Approximations.

#include "ThreadToRocdl.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::amd {
namespace {

struct Reciprocal : OpRewritePattern<thread::ReciprocalOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::ReciprocalOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      rewriter.replaceOpWithNewOp<ROCDL::ROCDLRcp>(op, op.getType(), op.getX());
      return success();
    }
    SmallVector<Value> elements(vector::ToElementsOp::create(builder, op.getX()).getResults());
    for (Value &element : elements) {
      element = ROCDL::ROCDLRcp::create(builder, element.getType(), element);
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, vector, elements);
    return success();
  }
};

} // namespace

void addMathPatterns(RewritePatternSet &patterns) { patterns.add<Reciprocal>(patterns.getContext()); }

} // namespace tilewright::amd
