// Partitions of a program's warps, which execute different code.

#include "TileGPUToThread.h"

#include "tilewright/Hardware/Gpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

struct SpecializeWarps : OpConversionPattern<tilegpu::SpecializeWarpsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::SpecializeWarpsOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto branch = scf::IfOp::create(builder, isAdded(builder, op), /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      builder.setInsertionPointToStart(branch.thenBlock());
      setRegisters(builder, op, kProducer);
      auto isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, warpId(builder),
                                           constantI32(builder, tilegpu::numWarps(op)));
      auto first = scf::IfOp::create(builder, isFirst, /*withElseRegion=*/false);
      rewriter.inlineBlockBefore(&op.getProducer().front(), first.thenBlock()->getTerminator());
      builder.setInsertionPointToStart(branch.elseBlock());
      setRegisters(builder, op, kConsumers);
      rewriter.inlineBlockBefore(&op.getConsumers().front(), branch.elseBlock()->getTerminator());
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  enum Part { kProducer, kConsumers };

  /// Whether the thread is in an additional warp; the same in all threads of a warp group.
  static Value isAdded(Builder &builder, tilegpu::SpecializeWarpsOp op) {
    int64_t groups = tilegpu::numWarps(op) / hardware::GroupMmaInstruction::kWarps;
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, groupIndex(builder), constantI32(builder, groups));
  }

  static void setRegisters(Builder &builder, tilegpu::SpecializeWarpsOp op, Part part) {
    if (std::optional<ArrayRef<int32_t>> counts = op.getRegisters()) {
      thread::SetRegistersOp::create(builder, static_cast<uint32_t>((*counts)[part]), /*more=*/part == kConsumers);
    }
  }
};

} // namespace

void addPartitionPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<SpecializeWarps>(types, patterns.getContext());
}

} // namespace tilewright::gpu
