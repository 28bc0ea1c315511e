// Matrix instructions of warp groups: wgmma.

#include "ThreadToNvvm.h"

#include "tilewright/Dialect/Ptx/IR/Ptx.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::nvidia {
namespace {

Value constantI64(Builder &builder, uint64_t value) {
  return LLVM::ConstantOp::create(builder, builder.getI64Type(),
                                  builder.getI64IntegerAttr(static_cast<int64_t>(value)));
}

Value constantI32(Builder &builder, int32_t value) {
  return LLVM::ConstantOp::create(builder, builder.getI32Type(), builder.getI32IntegerAttr(value));
}

/// A matrix descriptor, in which all sizes are in units of 16 bytes:
///
///     bits  0 to 13   the address
///          16 to 29   from a line to the one that continues it
///          32 to 45   from eight lines to the next eight
///          62 to 63   the swizzle: 1 for lines of 128 bytes, 2 for 64, 3 for 32
///
/// PTX ISA, "Matrix Descriptor Format" of wgmma.
Value descriptor(Builder &builder, Value address, thread::SharedMatrixAttr matrix, uint64_t offset) {
  constexpr int kUnit = 4, kAddressMask = 0x3FFF;
  uint64_t swizzle = matrix.getSwizzle() == 128 ? 1 : matrix.getSwizzle() == 64 ? 2 : 3;
  uint64_t constant = static_cast<uint64_t>(matrix.getLeading()) >> kUnit << 16 |
                      static_cast<uint64_t>(matrix.getStride()) >> kUnit << 32 | swizzle << 62;
  Value start = LLVM::PtrToIntOp::create(builder, builder.getI32Type(), address);
  start = LLVM::LShrOp::create(builder, start, constantI32(builder, kUnit));
  start = LLVM::AndOp::create(builder, start, constantI32(builder, kAddressMask));
  start = LLVM::ZExtOp::create(builder, builder.getI64Type(), start);
  return LLVM::AddOp::create(builder, start, constantI64(builder, constant + (offset >> kUnit)));
}

constexpr llvm::StringLiteral kLoopAnnotation = "llvm.loop_annotation";

/// ptxas 13.0 unrolls loops wrongly in which wgmma changes accumulators that other code reads: it takes what iterations
/// compute from them for common subexpressions. LLVM tells it not to unroll the loops around `op`. For `while` loops,
/// whose annotations upstream's conversion drops, nvptx::translate() does so.
void forbidUnrolling(Operation *op) {
  MLIRContext *context = op->getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  auto annotation =
      LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>()) {
    loop->setAttr(kLoopAnnotation, annotation);
  }
}

/// An annotation that is true of every loop over a range tells nvptx::translate() that this one may be unrolled.
void permitUnrolling(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto progresses = BoolAttr::get(context, true);
  if (!loop->hasAttr(kLoopAnnotation)) {
    loop->setAttr(kLoopAnnotation, LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
                                                                 progresses, {}, {}, {}, {}));
  }
}

struct GroupMma : OpRewritePattern<thread::GroupMmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::GroupMmaOp op, PatternRewriter &rewriter) const override {
    using hardware::nameOf;
    Builder builder(op.getLoc(), rewriter);
    const hardware::GroupMmaInstruction &row = *hardware::lookupGroupMma(op.getInstruction());
    std::optional<thread::SharedMatrixAttr> inA = op.getInA();
    SmallVector<Value> a(op.getA());
    if (inA) {
      a = {descriptor(builder, a.front(), *inA, op.getOffsetA())};
    }
    Value b = descriptor(builder, op.getB(), op.getInB(), op.getOffsetB());
    std::string shape = "m" + std::to_string(hardware::GroupMmaInstruction::kRows) + "n" +
                        std::to_string(op.getColumns()) + "k" + std::to_string(row.k);
    std::string types;
    for (hardware::ElementType type : {row.accumulator, row.a, row.b}) {
      types.append(".").append(nameOf(type));
    }
    Value continues = op.getContinues();
    if (continues) {
      continues = LLVM::ZExtOp::create(builder, builder.getI32Type(), continues);
    }
    rewriter.replaceOpWithNewOp<ptx::WgmmaOp>(op, op.getResultTypes(), op.getC(), a, b, continues, shape, types,
                                              op.getFromZero(), immediates(row, inA, op.getInB()));
    return success();
  }

private:
  /// The signs of A and B, which integers lack, and whether operands in shared memory are transposed.
  static SmallVector<int32_t> immediates(const hardware::GroupMmaInstruction &row,
                                         std::optional<thread::SharedMatrixAttr> a, thread::SharedMatrixAttr b) {
    SmallVector<int32_t> values;
    if (row.accumulator != hardware::ElementType::S32) {
      values.append({1, 1});
    }
    if (row.takesTransposed) {
      if (a) {
        values.push_back(a->getTransposed());
      }
      values.push_back(b.getTransposed());
    }
    return values;
  }
};

struct Begin : OpRewritePattern<thread::GroupMmaBeginOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::GroupMmaBeginOp op, PatternRewriter &rewriter) const override {
    ValueRange copies;
    // Only code after the innermost loop reads accumulators that stay in flight in it.
    auto innermost = dyn_cast_or_null<scf::ForOp>(op->getParentOfType<LoopLikeOpInterface>().getOperation());
    if (op.getValues().empty() && innermost) {
      permitUnrolling(innermost);
      forbidUnrolling(innermost);
    } else {
      forbidUnrolling(op);
    }
    if (!op.getValues().empty()) {
      copies = ptx::CopyRegistersOp::create(rewriter, op.getLoc(), op.getResultTypes(), op.getValues()).getResults();
    }
    NVVM::WgmmaFenceAlignedOp::create(rewriter, op.getLoc());
    rewriter.replaceOp(op, copies);
    return success();
  }
};

struct Wait : OpRewritePattern<thread::GroupMmaWaitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::GroupMmaWaitOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> held = op.getPending() == 0 ? operandsInRegisters(op) : SmallVector<Value>();
    rewriter.replaceOpWithNewOp<ptx::WgmmaWaitOp>(op, op.getResultTypes(), op.getPendingAttr(), op.getValues(), held);
    return success();
  }

private:
  /// The words of A, in registers, of the dots since the last wait for all. LLVM does not know that they are still
  /// read, and could compute the next iteration's words in the same registers. Dots that are in flight when the
  /// iteration ends have an A that is computed after the wait for them.
  static SmallVector<Value> operandsInRegisters(Operation *wait) {
    llvm::SmallSetVector<Value, 16> held;
    for (Operation *before = wait->getPrevNode(); before; before = before->getPrevNode()) {
      if (waitsForAll(before)) {
        break;
      }
      // The patterns may have rewritten these dots already.
      if (auto dot = dyn_cast<ptx::WgmmaOp>(before); dot && dot.getA().front().getType().isInteger(32)) {
        held.insert_range(dot.getA());
      } else if (auto dot = dyn_cast<thread::GroupMmaOp>(before); dot && !dot.getInA()) {
        held.insert_range(dot.getA());
      }
    }
    return held.takeVector();
  }

  static bool waitsForAll(Operation *op) {
    auto wait = dyn_cast<thread::GroupMmaWaitOp>(op);
    auto rewritten = dyn_cast<ptx::WgmmaWaitOp>(op);
    return (wait && wait.getPending() == 0) || (rewritten && rewritten.getPending() == 0);
  }
};

struct AsyncFence : OpRewritePattern<thread::AsyncFenceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::AsyncFenceOp op, PatternRewriter &rewriter) const override {
    auto space = NVVM::SharedSpaceAttr::get(op.getContext(), NVVM::SharedSpace::shared_cta);
    rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(op, NVVM::ProxyKind::async_shared, space);
    return success();
  }
};

} // namespace

void addGroupMmaPatterns(RewritePatternSet &patterns) {
  patterns.add<GroupMma, Begin, Wait, Bare<thread::GroupMmaCommitOp, NVVM::WgmmaGroupSyncAlignedOp>, AsyncFence>(
      patterns.getContext());
}

} // namespace tilewright::nvidia
