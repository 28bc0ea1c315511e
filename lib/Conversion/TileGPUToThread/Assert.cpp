// tile.assert: a thread with a false element fails, which ends the launch with the message. If there is a mailbox, the
// first thread to fail writes its program and the report there before: include/tilewright/Runtime/Mailbox.h.

#include "TileGPUToThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

Value wide(Builder &builder, Value number) { return arith::ExtUIOp::create(builder, builder.getI64Type(), number); }

/// Two words, each written by the first thread that fails: the program's index in the low bits and the report in the
/// high ones, and the first two dimensions of the grid.
void writeReport(Builder &builder, Value mailbox, int32_t report) {
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(builder, i64, value); };
  auto combine = [&](Value high, int64_t shift, Value low) -> Value {
    return arith::OrIOp::create(builder, arith::ShLIOp::create(builder, high, constant(shift)), low);
  };
  Value columns = wide(builder, thread::NumProgramsOp::create(builder, 0));
  Value rows = wide(builder, thread::NumProgramsOp::create(builder, 1));
  Value number = wide(builder, thread::ProgramIdOp::create(builder, 2));
  number = arith::MulIOp::create(builder, number, rows);
  number = arith::AddIOp::create(builder, number, wide(builder, thread::ProgramIdOp::create(builder, 1)));
  number = arith::MulIOp::create(builder, number, columns);
  number = arith::AddIOp::create(builder, number, wide(builder, thread::ProgramIdOp::create(builder, 0)));
  constexpr int64_t kProgramBits = 48, kSideBits = 32;
  Value words[] = {combine(rows, kSideBits, columns), combine(constant(report), kProgramBits, number)};
  Value always = arith::ConstantIntOp::create(builder, 1, 1);
  for (auto [index, word] : llvm::enumerate(words)) {
    Value address = LLVM::GEPOp::create(builder, mailbox.getType(), i64, mailbox,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(1 - index)});
    thread::CompareExchangeOp::create(builder, i64, constant(0), word, always, address, tile::MemSemantic::AcqRel,
                                      tile::SyncScope::System);
  }
}

struct Assert : OpConversionPattern<tile::AssertOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::AssertOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    Value holds = adaptor.getCond();
    if (isa<VectorType>(holds.getType())) {
      holds = vector::ReductionOp::create(builder, vector::CombiningKind::AND, holds);
    }
    Value fails = arith::XOrIOp::create(builder, holds, arith::ConstantIntOp::create(builder, 1, 1));
    auto branch = scf::IfOp::create(builder, fails, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    if (Value mailbox = adaptor.getMailbox()) {
      writeReport(builder, mailbox, op.getReport());
    }
    thread::FailOp::create(builder, op.getMessage());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addAssertPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Assert>(types, patterns.getContext());
}

} // namespace tilewright::gpu
