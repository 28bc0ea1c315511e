// Approximations, and conversions of 8-bit floats.

#include "ThreadToNvvm.h"

#include "tilewright/Dialect/Ptx/IR/Ptx.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tilewright::nvidia {
namespace {

struct Reciprocal : OpRewritePattern<thread::ReciprocalOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::ReciprocalOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ptx::RcpFtzOp>(op, op.getType(), op.getX());
    return success();
  }
};

struct ExtendPairs : OpRewritePattern<thread::ExtendPairsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::ExtendPairsOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ConvertF8x2ToF16x2Op>(op, op.getType(), op.getBytes(), /*relu=*/false,
                                                            op.getFormat());
    return success();
  }
};

struct TruncatePairs : OpRewritePattern<thread::TruncatePairsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::TruncatePairsOp op, PatternRewriter &rewriter) const override {
    // The first operand becomes the upper byte.
    rewriter.replaceOpWithNewOp<NVVM::ConvertF32x2ToF8x2Op>(op, op.getType(), op.getValues()[1], op.getValues()[0],
                                                            NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
                                                            /*relu=*/false, op.getFormat());
    return success();
  }
};

} // namespace

void addMathPatterns(RewritePatternSet &patterns) {
  patterns.add<Reciprocal, ExtendPairs, TruncatePairs>(patterns.getContext());
}

} // namespace tilewright::nvidia
