// Accesses to memory. NVVM lacks predicated accesses, memory orders of atomics, and cache hints; these are operations
// of the ptx dialect.

#include "ThreadToNvvm.h"

#include "tilewright/Conversion/Atomics.h"

#include "tilewright/Dialect/Ptx/IR/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::nvidia {
namespace {

using tile::CacheModifier;
using tile::EvictionPolicy;

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// A volatile access has no cache operator.
StringRef cacheName(CacheModifier cache, bool isVolatile = false) {
  return cache == CacheModifier::None || isVolatile ? "" : tile::stringifyCacheModifier(cache);
}

/// PTX has no priority in the L1 cache for an access with a cache operator or a volatile one; it is only a hint.
StringRef evictName(EvictionPolicy evict, CacheModifier cache, bool isVolatile = false) {
  if (cache != CacheModifier::None || isVolatile) {
    return "";
  }
  switch (evict) {
  case EvictionPolicy::Normal:
    return "";
  case EvictionPolicy::First:
    return "L1::evict_first";
  case EvictionPolicy::Last:
    return "L1::evict_last";
  }
  return "";
}

/// Whether LLVM's load or store is sufficient.
template <typename Op> bool isPlain(Op op) {
  return !op.getMask() && op.getCache() == CacheModifier::None && op.getEvict() == EvictionPolicy::Normal;
}

/// The size in memory, of which the address is a multiple.
unsigned bytesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return static_cast<unsigned>((vector ? vector.getNumElements() : 1) * tilegpu::bytesOf(getElementTypeOrSelf(type)));
}

/// The address of an access, with its offset if it has one.
template <typename Access> Value addressOf(Builder &builder, Access op) {
  if (!op.getOffset()) {
    return op.getPtr();
  }
  Value bytes = arith::ExtUIOp::create(builder, builder.getI64Type(), op.getOffset());
  return LLVM::GEPOp::create(builder, op.getPtr().getType(), builder.getI8Type(), op.getPtr(), bytes);
}

Value orTrue(Builder &builder, Value mask) {
  return mask ? mask : arith::ConstantIntOp::create(builder, 1, 1).getResult();
}

struct Load : OpRewritePattern<thread::LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::LoadOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    Builder builder(op.getLoc(), rewriter);
    Value address = addressOf(builder, op);
    if (isPlain(op)) {
      rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, address, bytesOf(type), op.getIsVolatile());
      return success();
    }
    Value mask = orTrue(builder, op.getMask());
    Value other = op.getOther() ? op.getOther() : LLVM::ZeroOp::create(builder, type).getResult();
    rewriter.replaceOpWithNewOp<ptx::LoadOp>(
        op, type, other, mask, address, cacheName(op.getCache(), op.getIsVolatile()),
        evictName(op.getEvict(), op.getCache(), op.getIsVolatile()), op.getIsVolatile());
    return success();
  }
};

struct Store : OpRewritePattern<thread::StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::StoreOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    Value address = addressOf(builder, op);
    if (isPlain(op)) {
      rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, op.getValue(), address, bytesOf(op.getValue().getType()));
      return success();
    }
    Value mask = orTrue(builder, op.getMask());
    rewriter.replaceOpWithNewOp<ptx::StoreOp>(op, op.getValue(), mask, address, cacheName(op.getCache()),
                                              evictName(op.getEvict(), op.getCache()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// Whether the ptx dialect's atomic implements the operation: it accesses global memory, and of additions of floats it
/// has those for which the target has an instruction. No GPU has atomics of 16-bit integers.
bool isInstruction(thread::AtomicRMWOp op) {
  if (op.getPtr().getType().getAddressSpace() == thread::kSharedSpace) {
    return false;
  }
  std::optional<hardware::ElementType> element = atomicElementOf(getElementTypeOrSelf(op.getType()));
  auto vector = dyn_cast<VectorType>(op.getType());
  int64_t elements = vector ? vector.getNumElements() : 1;
  if (op.getKind() != tile::RMWKind::FAdd) {
    return bytesOf(getElementTypeOrSelf(op.getType())) >= 4;
  }
  return llvm::any_of(tilegpu::targetOf(op).atomicAdds, [&](const hardware::AtomicAdd *row) {
    return row->type == element && row->elements == elements;
  });
}

/// LLVM's name of the synchronization scope.
StringRef scopeName(tile::SyncScope scope) {
  switch (scope) {
  case tile::SyncScope::CTA:
    return "block";
  case tile::SyncScope::GPU:
    return "device";
  case tile::SyncScope::System:
    return "";
  }
  return "";
}

/// Emits LLVM's atomic under a branch. LLVM expands one for which the target has no instruction to a loop.
Value emitBranch(Builder &builder, thread::AtomicRMWOp op, Value value) {
  auto branch = scf::IfOp::create(
      builder, op.getMask(),
      [&](OpBuilder &inside, Location loc) {
        Value old = LLVM::AtomicRMWOp::create(inside, loc, atomicBinOpOf(op.getKind()), op.getPtr(), value,
                                              atomicOrderingOf(op.getSem()), scopeName(op.getScope()));
        scf::YieldOp::create(inside, loc, old);
      },
      [&](OpBuilder &inside, Location loc) {
        Value zero = LLVM::ZeroOp::create(inside, loc, value.getType());
        scf::YieldOp::create(inside, loc, zero);
      });
  return branch.getResult(0);
}

struct AtomicRMW : OpRewritePattern<thread::AtomicRMWOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::AtomicRMWOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    if (isInstruction(op)) {
      rewriter.replaceOpWithNewOp<ptx::AtomicOp>(
          op, op.getType(), op.getValue(), op.getMask(), op.getPtr(), tile::stringifyRMWKind(op.getKind()),
          tile::stringifyMemSemantic(op.getSem()), tile::stringifySyncScope(op.getScope()));
      return success();
    }
    auto vector = dyn_cast<VectorType>(op.getType());
    if (vector && vector.getNumElements() > 1) {
      return op.emitError("the target has no atomic addition of ") << op.getType();
    }
    Value value = vector ? vector::ExtractOp::create(builder, op.getValue(), 0).getResult() : op.getValue();
    Value old = emitBranch(builder, op, value);
    rewriter.replaceOp(op, vector ? vector::FromElementsOp::create(builder, vector, old).getResult() : old);
    return success();
  }
};

struct CompareExchange : OpRewritePattern<thread::CompareExchangeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::CompareExchangeOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ptx::CompareExchangeOp>(op, op.getType(), op.getCmp(), op.getValue(), op.getMask(),
                                                        op.getPtr(), tile::stringifyMemSemantic(op.getSem()),
                                                        tile::stringifySyncScope(op.getScope()));
    return success();
  }
};

struct Fence : OpRewritePattern<thread::FenceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::FenceOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::FenceOp>(op, LLVM::AtomicOrdering::acq_rel, scopeName(op.getScope()));
    return success();
  }
};

struct GlobalTimer : OpRewritePattern<thread::GlobalTimerOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::GlobalTimerOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::GlobalTimerOp>(op, rewriter.getI64Type());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

struct SharedMemory : OpRewritePattern<thread::SharedMemoryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::SharedMemoryOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, sharedMemory(builder));
    return success();
  }
};

struct AsyncCopy : OpRewritePattern<thread::AsyncCopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::AsyncCopyOp op, PatternRewriter &rewriter) const override {
    auto modifier = op.getBypassL1() ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncOp>(op, op.getTo(), op.getFrom(), op.getSizeAttr(),
                                                 NVVM::LoadCacheModifierKindAttr::get(rewriter.getContext(), modifier),
                                                 op.getBytes());
    return success();
  }
};

struct AsyncWait : OpRewritePattern<thread::AsyncWaitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::AsyncWaitOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op, op.getPending());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Grids that depend on one another
//===----------------------------------------------------------------------===//

/// On GPUs where a grid starts after the previous one has ended there is nothing to do.
template <typename Op> struct GridDependency : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!tilegpu::targetOf(op).overlapsGrids) {
      rewriter.eraseOp(op);
      return success();
    }
    StringRef action = std::is_same_v<Op, thread::WaitForGridsOp> ? "wait" : "launch_dependents";
    rewriter.replaceOpWithNewOp<ptx::GridDependencyControlOp>(op, action);
    return success();
  }
};

} // namespace

void addMemoryPatterns(RewritePatternSet &patterns) {
  patterns.add<Load, Store, AtomicRMW, CompareExchange, Fence, GlobalTimer, SharedMemory, AsyncCopy, AsyncWait,
               Bare<thread::AsyncCommitOp, NVVM::CpAsyncCommitGroupOp>, GridDependency<thread::WaitForGridsOp>,
               GridDependency<thread::LaunchDependentsOp>>(patterns.getContext());
}

} // namespace tilewright::nvidia
