// Asynchronous copies from global to shared memory.

#include "TileGPUToThread.h"

#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"
#include "tilewright/Layout/SharedAddresses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

using hardware::AsyncCopy;

/// The instruction that copies `bytes` bytes; null if there is none. Only the widest can bypass the L1 cache, and does
/// so unless `cache` is CA.
const AsyncCopy *chooseCopy(int64_t bytes, tile::CacheModifier cache, const hardware::GpuInfo &target) {
  const AsyncCopy *found = nullptr;
  for (const AsyncCopy *copy : target.asyncCopies) {
    if (copy->bytes == bytes && (!found || copy->bypassesL1 != (cache == tile::CacheModifier::CA))) {
      found = copy;
    }
  }
  return found;
}

struct Copy : OpConversionPattern<tilegpu::AsyncCopyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tilegpu::AsyncCopyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    tilegpu::BufferType buffer = op.getBuffer().getType();
    LocalMove move = localMove(op, op.getPtr().getType(), buffer);
    layout::VectorAccess access = tilegpu::copyAccessOf(op, move.offsets);
    const AsyncCopy *copy = chooseCopy(access.elements() * move.elementBytes, op.getCache(), *move.target);
    if (!copy) {
      return op.emitError("each thread copies ")
             << access.elements() * move.elementBytes
             << " bytes at a time, and the target has no asynchronous copy of that size";
    }
    if (op.getOther() && !isZero(adaptor.getOther())) {
      return op.emitError("an asynchronous copy can only fill masked-out elements with zero");
    }
    Builder builder(op.getLoc(), rewriter);
    Value owner = ownsElements(builder, tilegpu::mapOf(op.getPtr()));
    if (owner) {
      auto ifOwner = scf::IfOp::create(builder, owner, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(ifOwner.thenBlock());
    }
    emitCopies(builder, op, adaptor, move, access, *copy);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Masked-out elements are not read, and zeros are written for them. The eviction policy, a hint, is dropped: ptxas
  /// 13.0 may let two copies share the registers of a policy after one has overwritten the lower half with the uniform
  /// part of its address. On sm_90, the other copy is an illegal instruction then.
  void emitCopies(Builder &builder, tilegpu::AsyncCopyOp op, OpAdaptor adaptor, const LocalMove &move,
                  const layout::VectorAccess &access, const AsyncCopy &copy) const {
    auto groups = layout::registersOf(access, move.offsets.inSize(layout::kRegister));
    std::vector<int> first;
    first.reserve(groups.size());
    for (const std::vector<int> &group : groups) {
      first.push_back(group.front());
    }
    SmallVector<Value> to =
        emitSharedAddresses(builder, adaptor.getBuffer(), layout::inBytes(move.offsets, move.elementBytes), first);
    SmallVector<Value> from = unpack(builder, adaptor.getPtr()), masks;
    if (adaptor.getMask()) {
      masks = unpack(builder, adaptor.getMask());
    }
    for (auto [reg, address] : llvm::zip_equal(first, to)) {
      Value bytes;
      if (!masks.empty()) {
        bytes = arith::SelectOp::create(builder, masks[reg], constantI32(builder, copy.bytes), constantI32(builder, 0));
      }
      thread::AsyncCopyOp::create(builder, address, from[reg], bytes, copy.bytes, copy.bypassesL1);
    }
  }
};

struct Commit : OpConversionPattern<tilegpu::AsyncCommitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::AsyncCommitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    thread::AsyncCommitOp::create(rewriter, op.getLoc());
    rewriter.replaceOpWithMultiple(op, {ValueRange()}); // threads hold nothing for a token
    return success();
  }
};

struct Wait : OpConversionPattern<tilegpu::AsyncWaitOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::AsyncWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<uint32_t> pending = op.getPending();
    if (!pending) {
      return op.emitError("resolve-waits has not determined how many groups may be in flight");
    }
    thread::AsyncWaitOp::create(rewriter, op.getLoc(), *pending);
    rewriter.replaceOpWithMultiple(op, {ValueRange()});
    return success();
  }
};

} // namespace

void addAsyncCopyPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Copy, Commit, Wait>(types, patterns.getContext());
}

} // namespace tilewright::gpu
