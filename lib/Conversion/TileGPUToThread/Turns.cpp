// Turns of two warp groups, by a named barrier of each group.
//
//     group 0   bar.sync 1            bar.arrive 2                      bar.sync 1
//     group 1                                       bar.sync 2          bar.arrive 1
//
// A group waits at the barrier of its own number, counted from 1: barrier 0 is that of all threads. The threads of the
// other group arrive there.

#include "TileGPUToThread.h"

#include "tilewright/Hardware/Gpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

/// The group that executes the code. With `only`, lets only that group execute what is inserted next.
Value enterGroup(Builder &builder, std::optional<uint32_t> only) {
  Value group = groupIndex(builder);
  if (only) {
    Value isThat = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, group, constantI32(builder, *only));
    builder.setInsertionPointToStart(scf::IfOp::create(builder, isThat, /*withElseRegion=*/false).thenBlock());
  }
  return group;
}

struct TakeTurn : OpConversionPattern<tilegpu::TakeTurnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::TakeTurnOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto threads = static_cast<uint32_t>(tilegpu::threadsOf(op).count());
    SmallVector<Value> after = adaptor.getAfter() ? someWords(builder, adaptor.getAfter()) : SmallVector<Value>();
    {
      OpBuilder::InsertionGuard guard(rewriter);
      Value number =
          arith::AddIOp::create(builder, enterGroup(builder, op.getOnly()), constantI32(builder, kFirstTurnBarrier));
      thread::NamedBarrierWaitOp::create(builder, number, threads, after, /*anywhere=*/false);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// A word of each matrix instruction's operand, which has four.
  static SmallVector<Value> someWords(Builder &builder, Value vector) {
    constexpr size_t kWords = 4;
    SmallVector<Value> words = unpack(builder, asWords(builder, vector)), some;
    for (size_t i = 0; i < words.size(); i += kWords) {
      some.push_back(words[i]);
    }
    return some;
  }
};

struct PassTurn : OpConversionPattern<tilegpu::PassTurnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::PassTurnOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto threads = static_cast<uint32_t>(tilegpu::threadsOf(op).count());
    {
      OpBuilder::InsertionGuard guard(rewriter);
      Value group = enterGroup(builder, op.getOnly());
      Value other = arith::SubIOp::create(builder, constantI32(builder, kFirstTurnBarrier + 1), group);
      thread::NamedBarrierArriveOp::create(builder, other, threads);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addTurnPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<TakeTurn, PassTurn>(types, patterns.getContext());
}

} // namespace tilewright::gpu
