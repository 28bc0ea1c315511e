// Barriers of all threads of a program.

#include "Distribute.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tilewright::distribute {
namespace {

template <typename Op> struct Barrier : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};

} // namespace

void addBarrierPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Barrier<tile::BarrierOp>, Barrier<tilegpu::BarrierOp>>(types, patterns.getContext());
}

} // namespace tilewright::distribute
