// Barriers, the clock, and the order of grids.

#include "ThreadToRocdl.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace tilewright::amd {
namespace {

/// The instruction waits for threads, but not for their accesses to memory: the fences order these. LLVM turns the
/// fences into waits for counters, and removes the instruction where a workgroup is one wave. Fences of shared memory
/// alone (AMDGPUUsage, Memory Model Relaxation Annotations) leave accesses to global memory in flight.
struct WaitForBarrier : OpRewritePattern<thread::BarrierOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::BarrierOp op, PatternRewriter &rewriter) const override {
    if (op.getThreads()) {
      return op.emitError("the target has no barrier of some of a program's threads");
    }
    Builder builder(op.getLoc(), rewriter);
    auto release = LLVM::FenceOp::create(builder, LLVM::AtomicOrdering::release, "workgroup");
    ROCDL::SBarrierOp::create(builder);
    auto acquire = LLVM::FenceOp::create(builder, LLVM::AtomicOrdering::acquire, "workgroup");
    if (op.getShared()) {
      Attribute local = LLVM::MMRATagAttr::get(builder.getContext(), "amdgpu-synchronize-as", "local");
      for (LLVM::FenceOp fence : {release, acquire}) {
        fence->setAttr(LLVM::LLVMDialect::getMmraAttrName(), local);
      }
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// The lanes of a wave execute together; the fence only keeps the order of their accesses.
struct WaitForWarp : OpRewritePattern<thread::WarpBarrierOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::WarpBarrierOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::FenceOp>(op, LLVM::AtomicOrdering::acq_rel, "wavefront");
    return success();
  }
};

/// The counter that all compute units share runs at 100 MHz.
struct GlobalTimer : OpRewritePattern<thread::GlobalTimerOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::GlobalTimerOp op, PatternRewriter &rewriter) const override {
    constexpr int64_t kNanosecondsPerTick = 10;
    Builder builder(op.getLoc(), rewriter);
    Type i64 = builder.getI64Type();
    Value ticks = callIntrinsic(builder, "llvm.readsteadycounter", i64, {});
    rewriter.replaceOpWithNewOp<arith::MulIOp>(op, ticks,
                                               arith::ConstantIntOp::create(builder, i64, kNanosecondsPerTick));
    return success();
  }
};

/// A grid starts after the previous one of its stream has ended.
template <typename Op> struct Nothing : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addSynchronizationPatterns(RewritePatternSet &patterns) {
  patterns.add<WaitForBarrier, WaitForWarp, GlobalTimer, Nothing<thread::WaitForGridsOp>,
               Nothing<thread::LaunchDependentsOp>>(patterns.getContext());
}

} // namespace tilewright::amd
