// Indices of threads and programs, exchanges between the lanes of a warp, and matrix instructions.

#include "ThreadToNvvm.h"

#include "tilewright/Dialect/Ptx/IR/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tilewright::nvidia {
namespace {

Value constantI32(Builder &builder, int64_t value) {
  return arith::ConstantIntOp::create(builder, builder.getI32Type(), value);
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value threadId(Builder &builder, tilegpu::Threads threads) {
  auto range = LLVM::ConstantRangeAttr::get(builder.getContext(), 32, 0, threads.count());
  return NVVM::ThreadIdXOp::create(builder, builder.getI32Type(), range);
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

struct Warp : OpRewritePattern<thread::WarpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::WarpOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    tilegpu::Threads threads = tilegpu::launchedThreads(op);
    rewriter.replaceOpWithNewOp<arith::ShRUIOp>(op, threadId(builder, threads),
                                                constantI32(builder, layout::log2Exact(threads.lanes)));
    return success();
  }
};

/// Programs are thread blocks.
template <typename Op, typename X, typename Y, typename Z> struct Grid : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type i32 = rewriter.getI32Type();
    switch (op.getAxis()) {
    case 0:
      rewriter.replaceOpWithNewOp<X>(op, i32);
      break;
    case 1:
      rewriter.replaceOpWithNewOp<Y>(op, i32);
      break;
    default:
      rewriter.replaceOpWithNewOp<Z>(op, i32);
    }
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

constexpr int64_t kAllLanes = -1; // a mask

struct Shuffle : OpRewritePattern<thread::ShuffleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::ShuffleOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto kind = op.getKind() == thread::ShuffleKind::Xor ? NVVM::ShflKind::bfly : NVVM::ShflKind::idx;
    Value mask = constantI32(builder, kAllLanes), clamp = constantI32(builder, tilegpu::targetOf(op).lanesPerWarp - 1);
    rewriter.replaceOpWithNewOp<NVVM::ShflOp>(op, op.getType(), mask, op.getWord(), op.getLane(), clamp, kind,
                                              UnitAttr());
    return success();
  }
};

NVVM::ReduxKind reduxKind(vector::CombiningKind kind) {
  switch (kind) {
  case vector::CombiningKind::MINSI:
    return NVVM::ReduxKind::MIN;
  case vector::CombiningKind::MAXSI:
    return NVVM::ReduxKind::MAX;
  case vector::CombiningKind::MINUI:
    return NVVM::ReduxKind::UMIN;
  case vector::CombiningKind::MAXUI:
    return NVVM::ReduxKind::UMAX;
  case vector::CombiningKind::AND:
    return NVVM::ReduxKind::AND;
  case vector::CombiningKind::OR:
    return NVVM::ReduxKind::OR;
  case vector::CombiningKind::XOR:
    return NVVM::ReduxKind::XOR;
  default:
    return NVVM::ReduxKind::ADD;
  }
}

struct Reduce : OpRewritePattern<thread::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::ReduceOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    rewriter.replaceOpWithNewOp<NVVM::ReduxOp>(op, op.getType(), op.getWord(), reduxKind(op.getKind()),
                                               constantI32(builder, kAllLanes));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// The result of an intrinsic with several results.
Type structure(Builder &builder, TypeRange types) {
  return LLVM::LLVMStructType::getLiteral(builder.getContext(), llvm::to_vector(types));
}

SmallVector<Value> elementsOf(Builder &builder, Value value, size_t count) {
  SmallVector<Value> elements;
  for (size_t i = 0; i < count; ++i) {
    elements.push_back(LLVM::ExtractValueOp::create(builder, value, static_cast<int64_t>(i)));
  }
  return elements;
}

struct Mma : OpRewritePattern<thread::MmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::MmaOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    StringAttr name = builder.getStringAttr(hardware::lookupMma(op.getInstruction())->intrinsic);
    auto call = LLVM::CallIntrinsicOp::create(builder, structure(builder, op.getResultTypes()), name, op.getOperands());
    rewriter.replaceOp(op, elementsOf(builder, call.getResult(0), op.getNumResults()));
    return success();
  }
};

struct LoadMatrix : OpRewritePattern<thread::LoadMatrixOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::LoadMatrixOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    StringAttr name = builder.getStringAttr(hardware::lookupMatrixMove(false, op.getInstruction())->intrinsic());
    if (op.getNumResults() == 1) {
      rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, op.getResultTypes()[0], name, ValueRange{op.getPtr()});
      return success();
    }
    auto call =
        LLVM::CallIntrinsicOp::create(builder, structure(builder, op.getResultTypes()), name, ValueRange{op.getPtr()});
    rewriter.replaceOp(op, elementsOf(builder, call.getResult(0), op.getNumResults()));
    return success();
  }
};

struct StoreMatrix : OpRewritePattern<thread::StoreMatrixOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::StoreMatrixOp op, PatternRewriter &rewriter) const override {
    StringAttr name = rewriter.getStringAttr(hardware::lookupMatrixMove(true, op.getInstruction())->intrinsic());
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, name, op.getOperands());
    return success();
  }
};

struct Together : OpRewritePattern<thread::WarpBarrierOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::WarpBarrierOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    rewriter.replaceOpWithNewOp<NVVM::SyncWarpOp>(op, constantI32(builder, -1));
    return success();
  }
};

constexpr llvm::StringLiteral kBarrierWithCount = "llvm.nvvm.barrier.cta.sync.aligned.count";
/// Without `.aligned`, as warps come from several instructions. PTX asks this only of the lanes of a warp, but
/// compute-sanitizer takes such warps for divergent threads.
constexpr llvm::StringLiteral kBarrierAnywhere = "llvm.nvvm.barrier.cta.sync.count";

/// A barrier with a number and a count, by the intrinsic of its instruction.
LLVM::CallIntrinsicOp callNamedBarrier(Builder &builder, StringRef intrinsic, Value number, uint32_t threads) {
  return LLVM::CallIntrinsicOp::create(builder, builder.getStringAttr(intrinsic),
                                       ValueRange{number, constantI32(builder, threads)});
}

struct WaitForBarrier : OpRewritePattern<thread::BarrierOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::BarrierOp op, PatternRewriter &rewriter) const override {
    if (!op.getThreads()) {
      rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
      return success();
    }
    Builder builder(op.getLoc(), rewriter);
    callNamedBarrier(builder, kBarrierWithCount, constantI32(builder, 0), *op.getThreads());
    rewriter.eraseOp(op);
    return success();
  }
};

/// ptxas moves computations behind barriers, which to it order accesses of memory alone. So the number depends on the
/// words: they are masked by a zero that neither LLVM nor ptxas knows to be one, the upper bits of a grid's size
/// along axis 2, which is less than 2^16.
struct WaitForNamedBarrier : OpRewritePattern<thread::NamedBarrierWaitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::NamedBarrierWaitOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    Value number = op.getNumber(), all;
    for (Value word : op.getAfter()) {
      all = all ? arith::OrIOp::create(builder, all, word).getResult() : word;
    }
    if (all) {
      number = arith::AddIOp::create(builder, number, arith::AndIOp::create(builder, all, unknownZero(builder)));
    }
    callNamedBarrier(builder, op.getAnywhere() ? kBarrierAnywhere : kBarrierWithCount, number, op.getThreads());
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value unknownZero(Builder &builder) {
    constexpr int64_t kBits = 16;
    Value programs = NVVM::GridDimZOp::create(builder, builder.getI32Type());
    Value copy = ptx::CopyRegistersOp::create(builder, programs.getType(), programs).getResult(0);
    return arith::ShRUIOp::create(builder, copy, constantI32(builder, kBits));
  }
};

struct ArriveAtNamedBarrier : OpRewritePattern<thread::NamedBarrierArriveOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::NamedBarrierArriveOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    callNamedBarrier(builder, "llvm.nvvm.barrier.cta.arrive.aligned.count", op.getNumber(), op.getThreads());
    rewriter.eraseOp(op);
    return success();
  }
};

struct SetRegisters : OpRewritePattern<thread::SetRegistersOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::SetRegistersOp op, PatternRewriter &rewriter) const override {
    auto action = op.getMore() ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
    rewriter.replaceOpWithNewOp<NVVM::SetMaxRegisterOp>(op, op.getCount(), action);
    return success();
  }
};

struct RoundToTF32 : OpRewritePattern<thread::RoundToTF32Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::RoundToTF32Op op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ConvertFloatToTF32Op>(op, op.getType(), op.getX(), NVVM::FPRoundingMode::RNA);
    return success();
  }
};

} // namespace

void addWarpPatterns(RewritePatternSet &patterns) {
  patterns.add<Id, Lane, Warp, Grid<thread::ProgramIdOp, NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>,
               Grid<thread::NumProgramsOp, NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>, Shuffle, Reduce, Mma,
               LoadMatrix, StoreMatrix, Together, WaitForBarrier, WaitForNamedBarrier, ArriveAtNamedBarrier,
               SetRegisters, RoundToTF32>(patterns.getContext());
}

} // namespace tilewright::nvidia
