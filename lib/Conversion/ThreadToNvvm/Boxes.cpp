// Copies of boxes, by the tensor memory accelerator, and transaction barriers, which are mbarriers.

#include "ThreadToNvvm.h"

#include "tilewright/Dialect/Ptx/IR/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tilewright::nvidia {
namespace {

/// Fails for a target that lacks the instructions.
LogicalResult checkTarget(Operation *op) {
  const hardware::GpuInfo &target = tilegpu::targetOf(op);
  return target.copiesBoxes ? success() : op->emitError("the target ") << target.name << " does not copy boxes";
}

Value orTrue(Operation *op, PatternRewriter &rewriter, Value mask) {
  return mask ? mask : arith::ConstantIntOp::create(rewriter, op->getLoc(), 1, 1).getResult();
}

template <typename Op> struct Checked : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  virtual void lower(Op op, PatternRewriter &rewriter) const = 0;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (failed(checkTarget(op))) {
      return failure();
    }
    lower(op, rewriter);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Transaction barriers
//===----------------------------------------------------------------------===//

struct Init : Checked<thread::TransactionBarrierInitOp> {
  using Checked::Checked;
  void lower(thread::TransactionBarrierInitOp op, PatternRewriter &rewriter) const override {
    Value mask = orTrue(op, rewriter, op.getMask());
    rewriter.replaceOpWithNewOp<ptx::MbarrierInitOp>(op, op.getBarrier(), op.getArrivals(), mask);
  }
};

/// An operation on a barrier that has no operands but the mask.
template <typename Op, typename Replacement> struct OnBarrier : Checked<Op> {
  using Checked<Op>::Checked;
  void lower(Op op, PatternRewriter &rewriter) const override {
    Value mask = orTrue(op, rewriter, op.getMask());
    rewriter.replaceOpWithNewOp<Replacement>(op, op.getBarrier(), mask);
  }
};

struct Fence : Checked<thread::TransactionBarrierFenceOp> {
  using Checked::Checked;
  void lower(thread::TransactionBarrierFenceOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::FenceMbarrierInitOp>(op);
  }
};

struct Expect : Checked<thread::TransactionBarrierExpectOp> {
  using Checked::Checked;
  void lower(thread::TransactionBarrierExpectOp op, PatternRewriter &rewriter) const override {
    Value mask = orTrue(op, rewriter, op.getMask());
    rewriter.replaceOpWithNewOp<ptx::MbarrierArriveExpectTxOp>(op, op.getBarrier(), op.getBytes(), mask);
  }
};

struct WaitForPhase : Checked<thread::TransactionBarrierWaitOp> {
  using Checked::Checked;
  void lower(thread::TransactionBarrierWaitOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ptx::MbarrierWaitOp>(op, op.getBarrier(), op.getParity());
  }
};

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

struct Prefetch : Checked<thread::PrefetchTensorMapOp> {
  using Checked::Checked;
  void lower(thread::PrefetchTensorMapOp op, PatternRewriter &rewriter) const override {
    Value mask = orTrue(op, rewriter, op.getMask());
    rewriter.replaceOpWithNewOp<ptx::PrefetchTensorMapOp>(op, op.getMap(), mask);
  }
};

struct Copy : Checked<thread::BoxCopyOp> {
  using Checked::Checked;
  void lower(thread::BoxCopyOp op, PatternRewriter &rewriter) const override {
    Value mask = orTrue(op, rewriter, op.getMask());
    rewriter.replaceOpWithNewOp<ptx::BulkTensorLoadOp>(op, op.getTo(), op.getMap(), op.getCoordinates(),
                                                       op.getBarrier(), mask);
  }
};

struct Store : Checked<thread::BoxStoreOp> {
  using Checked::Checked;
  void lower(thread::BoxStoreOp op, PatternRewriter &rewriter) const override {
    Value mask = orTrue(op, rewriter, op.getMask());
    rewriter.replaceOpWithNewOp<ptx::BulkTensorStoreOp>(op, op.getMap(), op.getCoordinates(), op.getFrom(), mask,
                                                        policyOf(op, rewriter), reductionOf(op, rewriter));
  }

private:
  static StringAttr reductionOf(thread::BoxStoreOp op, PatternRewriter &rewriter) {
    std::optional<tile::RMWKind> kind = op.getReduction();
    StringRef name = kind == tile::RMWKind::FAdd ? "add" : kind ? tile::stringifyRMWKind(*kind) : "";
    return kind ? rewriter.getStringAttr(name) : StringAttr();
  }

  static Value policyOf(thread::BoxStoreOp op, PatternRewriter &rewriter) {
    if (!op.getEvictFirst()) {
      return Value();
    }
    auto policy = [&](StringRef evict) -> Value {
      return ptx::CachePolicyOp::create(rewriter, op.getLoc(), rewriter.getI64Type(), evict);
    };
    return arith::SelectOp::create(rewriter, op.getLoc(), op.getEvictFirst(), policy("evict_first"),
                                   policy("evict_normal"));
  }
};

struct Commit : Checked<thread::BoxStoreCommitOp> {
  using Checked::Checked;
  void lower(thread::BoxStoreCommitOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ptx::BulkCommitOp>(op);
  }
};

struct WaitForStores : Checked<thread::BoxStoreWaitOp> {
  using Checked::Checked;
  void lower(thread::BoxStoreWaitOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ptx::BulkWaitOp>(op, op.getPending(), op.getRead());
  }
};

} // namespace

void addBoxPatterns(RewritePatternSet &patterns) {
  patterns.add<Init, OnBarrier<thread::TransactionBarrierEndOp, ptx::MbarrierInvalOp>,
               OnBarrier<thread::TransactionBarrierArriveOp, ptx::MbarrierArriveOp>, Fence, Expect, WaitForPhase,
               Prefetch, Copy, Store, Commit, WaitForStores>(patterns.getContext());
}

void passTensorMapsByValue(ModuleOp module) {
  OpBuilder builder(module.getContext());
  auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), thread::kTensorMapBytes);
  module.walk([&](func::FuncOp function) {
    for (unsigned index = 0; index < function.getNumArguments(); ++index) {
      if (!function.removeArgAttr(index, thread::ThreadDialect::kTensorMapAttr)) {
        continue;
      }
      function.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
      function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(thread::kTensorMapAlignment));
    }
  });
}

} // namespace tilewright::nvidia
