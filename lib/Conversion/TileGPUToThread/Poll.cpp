// tile.atomic_poll: the first thread waits in a loop.
//
//     if (first thread)
//       while (atomic(ptr) != expected && timer() - start < timeout);
//
// Only this thread has the result; stage-operands shares it with other threads through shared memory.

#include "TileGPUToThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

/// The integer in memory, by an atomic that does not change it.
Value loadAtomically(Builder &builder, tile::AtomicPollOp op, Type type, Value pointer) {
  Value zero = arith::ConstantIntOp::create(builder, type, 0), always = arith::ConstantIntOp::create(builder, 1, 1);
  if (type.isInteger(16)) {
    return thread::CompareExchangeOp::create(builder, type, zero, zero, always, pointer, op.getSem(), op.getScope());
  }
  return thread::AtomicRMWOp::create(builder, type, tile::RMWKind::Or, zero, always, pointer, op.getSem(),
                                     op.getScope());
}

/// Emits the loop, and returns whether the integer was the expected one.
Value emitLoop(Builder &builder, tile::AtomicPollOp op, Value pointer, Value expected, Value timeout) {
  Value start = timeout ? thread::GlobalTimerOp::create(builder, builder.getI64Type()).getResult() : Value();
  auto test = [&](OpBuilder &inner, Location loc, ValueRange) {
    Builder b(loc, inner);
    Value found = loadAtomically(b, op, expected.getType(), pointer);
    Value isEqual = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, found, expected);
    Value goesOn = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, found, expected);
    if (timeout) {
      Value now = thread::GlobalTimerOp::create(b, b.getI64Type());
      Value elapsed = arith::SubIOp::create(b, now, start);
      goesOn = arith::AndIOp::create(b, goesOn, arith::CmpIOp::create(b, arith::CmpIPredicate::slt, elapsed, timeout));
    }
    scf::ConditionOp::create(b, goesOn, isEqual);
  };
  auto wait = [](OpBuilder &inner, Location loc, ValueRange) { scf::YieldOp::create(inner, loc); };
  return scf::WhileOp::create(builder, TypeRange(builder.getI1Type()), ValueRange(), test, wait).getResult(0);
}

struct Poll : OpConversionPattern<tile::AtomicPollOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::AtomicPollOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto waits = [&](OpBuilder &inner, Location loc) {
      Builder b(loc, inner);
      Value isEqual = emitLoop(b, op, adaptor.getPtr(), adaptor.getExpected(), adaptor.getTimeout());
      scf::YieldOp::create(b, isEqual);
    };
    auto skips = [](OpBuilder &inner, Location loc) {
      Builder b(loc, inner);
      scf::YieldOp::create(b, arith::ConstantIntOp::create(b, 0, 1).getResult());
    };
    rewriter.replaceOp(op, scf::IfOp::create(builder, isFirstThread(builder), waits, skips));
    return success();
  }
};

} // namespace

void addPollPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Poll>(types, patterns.getContext());
}

} // namespace tilewright::gpu
