// Indices of threads and programs.

#include "ThreadToRocdl.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace tilewright::amd {
namespace {

Value threadId(Builder &builder, tilegpu::Threads threads) {
  auto range = LLVM::ConstantRangeAttr::get(builder.getContext(), 32, 0, threads.count());
  return ROCDL::ThreadIdXOp::create(builder, builder.getI32Type(), range);
}

struct Id : OpRewritePattern<thread::IdOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::IdOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, threadId(builder, tilegpu::launchedThreads(op)));
    return success();
  }
};

struct Lane : OpRewritePattern<thread::LaneOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::LaneOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    tilegpu::Threads threads = tilegpu::launchedThreads(op);
    rewriter.replaceOpWithNewOp<arith::AndIOp>(op, threadId(builder, threads), constantI32(builder, threads.lanes - 1));
    return success();
  }
};

/// All lanes have the same value, which LLVM would not know without `readfirstlane`, and then keeps in a scalar
/// register.
struct Warp : OpRewritePattern<thread::WarpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::WarpOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    tilegpu::Threads threads = tilegpu::launchedThreads(op);
    if (threads.warps == 1) {
      rewriter.replaceOp(op, constantI32(builder, 0));
      return success();
    }
    Value warp = arith::ShRUIOp::create(builder, threadId(builder, threads),
                                        constantI32(builder, layout::log2Exact(threads.lanes)));
    rewriter.replaceOpWithNewOp<ROCDL::ReadfirstlaneOp>(op, warp.getType(), warp);
    return success();
  }
};

/// Programs are workgroups.
struct ProgramId : OpRewritePattern<thread::ProgramIdOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::ProgramIdOp op, PatternRewriter &rewriter) const override {
    Type i32 = rewriter.getI32Type();
    switch (op.getAxis()) {
    case 0:
      rewriter.replaceOpWithNewOp<ROCDL::BlockIdXOp>(op, i32);
      break;
    case 1:
      rewriter.replaceOpWithNewOp<ROCDL::BlockIdYOp>(op, i32);
      break;
    default:
      rewriter.replaceOpWithNewOp<ROCDL::BlockIdZOp>(op, i32);
    }
    return success();
  }
};

/// The number of workgroups along each axis is at the beginning of the hidden arguments, which HIP's runtime fills in
/// for kernels that have them.
struct NumPrograms : OpRewritePattern<thread::NumProgramsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::NumProgramsOp op, PatternRewriter &rewriter) const override {
    constexpr unsigned kConstantSpace = 4;
    Builder builder(op.getLoc(), rewriter);
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), kConstantSpace);
    Value hidden = callIntrinsic(builder, "llvm.amdgcn.implicitarg.ptr", pointer, {});
    Value address = LLVM::GEPOp::create(builder, pointer, builder.getI32Type(), hidden,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(op.getAxis())});
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, builder.getI32Type(), address, /*alignment=*/4, /*isVolatile=*/false,
                                              /*isNonTemporal=*/false, /*isInvariant=*/true);
    return success();
  }
};

} // namespace

void addIndexPatterns(RewritePatternSet &patterns) {
  patterns.add<Id, Lane, Warp, ProgramId, NumPrograms>(patterns.getContext());
}

} // namespace tilewright::amd
