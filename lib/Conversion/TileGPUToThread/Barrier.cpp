// Barriers of all threads of a program or of a partition, and the order of grids that depend on one another.

#include "TileGPUToThread.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

/// The threads of the partition that holds tiles, or with `joint` those of all partitions that execute anything.
template <typename Op> struct Wait : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &rewriter) const override {
    tilegpu::Threads threads = tilegpu::threadsOf(op);
    if (tilegpu::launchedThreads(op).warps == threads.warps) {
      rewriter.replaceOpWithNewOp<thread::BarrierOp>(op, IntegerAttr(), ordersShared(op));
      return success();
    }
    if (!isJoint(op)) {
      rewriter.replaceOpWithNewOp<thread::BarrierOp>(op, rewriter.getI32IntegerAttr(threads.count()));
      return success();
    }
    Builder builder(op.getLoc(), rewriter);
    thread::NamedBarrierWaitOp::create(builder, constantI32(builder, kJointBarrier),
                                       static_cast<uint32_t>(threads.count() + threads.lanes), ValueRange(),
                                       /*anywhere=*/true);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static bool isJoint(tilegpu::BarrierOp op) { return op.getJoint(); }
  static bool isJoint(tile::BarrierOp) { return false; }
  static bool ordersShared(tilegpu::BarrierOp op) { return op.getShared(); }
  static bool ordersShared(tile::BarrierOp) { return false; }
};

/// All threads of a partition execute the operation.
template <typename Op, typename ThreadOp> struct ByAllThreads : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ThreadOp>(op);
    return success();
  }
};

} // namespace

void addBarrierPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns
      .add<Wait<tile::BarrierOp>, Wait<tilegpu::BarrierOp>, ByAllThreads<tilegpu::AsyncFenceOp, thread::AsyncFenceOp>,
           ByAllThreads<tile::WaitForGridsOp, thread::WaitForGridsOp>,
           ByAllThreads<tile::LaunchDependentsOp, thread::LaunchDependentsOp>>(types, patterns.getContext());
}

} // namespace tilewright::gpu
