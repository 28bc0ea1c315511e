// Rings of slots: the barriers that order the uses of slots.
//
// A slot of a ring is two barriers of 8 bytes. The first completes a phase when the slot is full: after an arrival of
// the first thread, and the bytes that it expects. The second one does when the slot is free again: after an arrival of
// each warp. Phase n of both belongs to the slot's use n, so a use waits for phase n - 1 of the second barrier, which
// has the other parity; before the first use, that counts as complete.

#include "TileGPUToThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

constexpr int64_t kBarrierBytes = 8;

Value fullBarrier(Value slot) { return slot; }
Value freeBarrier(Builder &builder, Value slot) { return offsetBy(builder, slot, kBarrierBytes); }

Value parityOf(Builder &builder, Value phase) { return arith::ExtUIOp::create(builder, builder.getI32Type(), phase); }

/// Lets a warp wait for a phase. Lanes may leave the wait, which is a loop, one by one, and matrix instructions after
/// it need all of them: without the barrier, ptxas 13.0 has let some lanes execute these alone.
void waitTogether(Builder &builder, Value barrier, Value parity) {
  thread::TransactionBarrierWaitOp::create(builder, barrier, parity);
  thread::WarpBarrierOp::create(builder);
}

/// Calls `emit` with the address of each barrier of the ring at `base`, and whether it is that of free slots.
template <typename Emit> void forBarriers(Builder &builder, tilegpu::BufferType ring, Value base, Emit &&emit) {
  for (int64_t barrier = 0; barrier < ring.getBytes() / kBarrierBytes; ++barrier) {
    emit(offsetBy(builder, base, barrier * kBarrierBytes), barrier % 2 == 1);
  }
}

struct Begin : OpConversionPattern<tilegpu::RingBeginOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::RingBeginOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    Value first = isFirstThread(builder);
    auto warps = static_cast<int32_t>(tilegpu::numWarps(op));
    forBarriers(builder, op.getRing().getType(), adaptor.getRing(), [&](Value barrier, bool isFree) {
      thread::TransactionBarrierInitOp::create(builder, barrier, isFree ? warps : 1, first);
    });
    thread::TransactionBarrierFenceOp::create(builder); // `insert-barriers` lets the other threads wait for this
    rewriter.eraseOp(op);
    return success();
  }
};

struct End : OpConversionPattern<tilegpu::RingEndOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::RingEndOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    Value first = isFirstThread(builder);
    forBarriers(builder, op.getRing().getType(), adaptor.getRing(),
                [&](Value barrier, bool) { thread::TransactionBarrierEndOp::create(builder, barrier, first); });
    rewriter.eraseOp(op);
    return success();
  }
};

struct Acquire : OpConversionPattern<tilegpu::RingAcquireOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::RingAcquireOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    int64_t partition = tilegpu::partitionOf(op), first = partition == 0 ? 0 : tilegpu::numWarps(op);
    Value isFirstWarp =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, warpId(builder), constantI32(builder, first));
    auto ifFirst =
        scf::IfOp::create(builder, both(builder, isFirstWarp, adaptor.getExists()), /*withElseRegion=*/false);
    waitForRelease(builder, adaptor, ifFirst.thenBlock());
    thread::TransactionBarrierExpectOp::create(builder, fullBarrier(adaptor.getSlot()),
                                               constantI32(builder, static_cast<int64_t>(op.getBytes())),
                                               both(builder, isFirstThread(builder, partition), adaptor.getExists()));
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// All lanes of the partition's first warp wait, rather than one.
  static void waitForRelease(Builder &builder, OpAdaptor adaptor, Block *block) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    Value other = arith::XOrIOp::create(builder, parityOf(builder, adaptor.getPhase()), constantI32(builder, 1));
    waitTogether(builder, freeBarrier(builder, adaptor.getSlot()), other);
  }
};

struct Wait : OpConversionPattern<tilegpu::RingWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::RingWaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    if (Value exists = adaptor.getExists()) {
      auto ifExists = scf::IfOp::create(builder, exists, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(ifExists.thenBlock());
    }
    waitTogether(builder, fullBarrier(adaptor.getSlot()), parityOf(builder, adaptor.getPhase()));
    rewriter.replaceOpWithMultiple(op, {ValueRange()}); // threads hold nothing for a token
    return success();
  }
};

struct Release : OpConversionPattern<tilegpu::RingReleaseOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::RingReleaseOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    if (op.getByThreads()) {
      thread::WarpBarrierOp::create(builder); // the first lane tells it for all of them
    }
    Value isFirstLane =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, laneId(builder), constantI32(builder, 0));
    thread::TransactionBarrierArriveOp::create(builder, freeBarrier(builder, adaptor.getSlot()),
                                               both(builder, isFirstLane, adaptor.getExists()));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addRingPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Begin, End, Acquire, Wait, Release>(types, patterns.getContext());
}

} // namespace tilewright::gpu
