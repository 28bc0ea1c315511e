// Buffers in shared memory: allocation, slots, stores and loads.

#include "TileGPUToThread.h"

#include "tilewright/Layout/Shared.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tilewright::gpu {

Value sharedAddress(Builder &builder, int64_t offset) {
  Value base = thread::SharedMemoryOp::create(builder);
  return offset == 0 ? base : offsetBy(builder, base, offset);
}

Value offsetBy(Builder &builder, Value address, int64_t bytes) {
  return LLVM::GEPOp::create(builder, address.getType(), builder.getI8Type(), address,
                             LLVM::GEPArg(static_cast<int32_t>(bytes)));
}

LocalMove localMove(Operation *op, Type tile, tilegpu::BufferType buffer) {
  return {layout::offsetsOf(tilegpu::mapOf(tile), buffer.getLayout().getMap()), buffer.getElementBytes(),
          &tilegpu::targetOf(op)};
}

namespace {

struct LocalAlloc : OpConversionPattern<tilegpu::LocalAllocOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::LocalAllocOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t alignment = tilegpu::targetOf(op).vectorBytes;
    std::optional<uint64_t> offset = op.getOffset();
    if (!offset || *offset % alignment != 0) {
      return op.emitError("the buffer has no offset in shared memory, or one that is not a multiple of ")
             << alignment << " bytes";
    }
    Builder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, sharedAddress(builder, static_cast<int64_t>(*offset)));
    return success();
  }
};

struct LocalSlot : OpConversionPattern<tilegpu::LocalSlotOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::LocalSlotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto slot = LLVM::LLVMArrayType::get(rewriter.getI8Type(), op.getType().getSlotBytes());
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, adaptor.getSrc().getType(), slot, adaptor.getSrc(),
                                             adaptor.getIndex());
    return success();
  }
};

struct RingNext : OpConversionPattern<tilegpu::RingNextOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::RingNextOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(rewriter, op.getLoc(), value, 32);
    };
    Value next = arith::AddIOp::create(rewriter, op.getLoc(), adaptor.getSlot(), constant(1));
    Value isEnd = arith::CmpIOp::create(rewriter, op.getLoc(), arith::CmpIPredicate::eq, next,
                                        constant(static_cast<int64_t>(op.getSlots())));
    Value slot = arith::SelectOp::create(rewriter, op.getLoc(), isEnd, constant(0), next);
    Value phase = arith::XOrIOp::create(rewriter, op.getLoc(), adaptor.getPhase(), isEnd);
    rewriter.replaceOp(op, {slot, phase});
    return success();
  }
};

struct LocalStore : OpConversionPattern<tilegpu::LocalStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::LocalStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    emitLocalStore(builder, adaptor.getSrc(), adaptor.getBuffer(),
                   localMove(op, op.getSrc().getType(), op.getBuffer().getType()));
    rewriter.eraseOp(op);
    return success();
  }
};

struct LocalLoad : OpConversionPattern<tilegpu::LocalLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::LocalLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    LocalMove move = localMove(op, op.getType(), op.getBuffer().getType());
    move.isOwn = op.getOwn();
    if (std::optional<ArrayRef<int64_t>> start = op.getStart()) {
      move.start = layout::offsetOf({start->begin(), start->end()}, op.getBuffer().getType().getLayout().getMap());
    }
    rewriter.replaceOp(op, emitLocalLoad(builder, adaptor.getBuffer(), type, move));
    return success();
  }
};

} // namespace

void addLocalMemoryPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<LocalAlloc, LocalSlot, RingNext, LocalStore, LocalLoad>(types, patterns.getContext());
}

} // namespace tilewright::gpu
