// Barriers of all threads of a program.

#include "TileGPUToThread.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

template <typename Op> struct Barrier : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<thread::BarrierOp>(op);
    return success();
  }
};

} // namespace

void addBarrierPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Barrier<tile::BarrierOp>, Barrier<tilegpu::BarrierOp>>(types, patterns.getContext());
}

} // namespace tilewright::gpu
