// Barriers of all threads of a program, and the order of grids that depend on one another.

#include "TileGPUToThread.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

/// All threads execute the operation.
template <typename Op, typename ThreadOp> struct ByAllThreads : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ThreadOp>(op);
    return success();
  }
};

} // namespace

void addBarrierPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<ByAllThreads<tile::BarrierOp, thread::BarrierOp>, ByAllThreads<tilegpu::BarrierOp, thread::BarrierOp>,
               ByAllThreads<tilegpu::AsyncFenceOp, thread::AsyncFenceOp>,
               ByAllThreads<tile::WaitForGridsOp, thread::WaitForGridsOp>,
               ByAllThreads<tile::LaunchDependentsOp, thread::LaunchDependentsOp>>(types, patterns.getContext());
}

} // namespace tilewright::gpu
