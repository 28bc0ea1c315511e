// Atomics, as LLVM's. It selects an instruction where the target has one, and expands others to loops of
// compare-and-swap.

#include "ThreadToRocdl.h"

#include "tilewright/Conversion/Atomics.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::amd {
namespace {

/// LLVM's name of the synchronization scope.
StringRef scopeName(tile::SyncScope scope) {
  switch (scope) {
  case tile::SyncScope::CTA:
    return "workgroup";
  case tile::SyncScope::GPU:
    return "agent";
  case tile::SyncScope::System:
    return "";
  }
  return "";
}

/// The result of `emit` where the mask is true, else zero.
Value emitWhere(Builder &builder, Value mask, Type type, llvm::function_ref<Value()> emit) {
  auto branch = scf::IfOp::create(builder, type, mask, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, emit());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, LLVM::ZeroOp::create(builder, type).getResult());
  return branch.getResult(0);
}

/// Whether a vector of several elements is one instruction; its elements need not be combined at the same time.
bool isInstruction(thread::AtomicRMWOp op, VectorType type) {
  std::optional<hardware::ElementType> element = atomicElementOf(type.getElementType());
  return llvm::any_of(tilegpu::targetOf(op).atomicAdds, [&](const hardware::AtomicAdd *row) {
    return row->type == element && row->elements == type.getNumElements();
  });
}

struct AtomicRMW : OpRewritePattern<thread::AtomicRMWOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(thread::AtomicRMWOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    auto vector = dyn_cast<VectorType>(op.getType());
    bool isSingle = vector && vector.getNumElements() == 1;
    if (vector && !isSingle && !isInstruction(op, vector)) {
      return op.emitError("the target has no atomic addition of ") << op.getType();
    }
    Value value = isSingle ? vector::ExtractOp::create(builder, op.getValue(), 0).getResult() : op.getValue();
    Value old = emitWhere(builder, op.getMask(), value.getType(), [&] { return emit(builder, op, value); });
    rewriter.replaceOp(op, isSingle ? vector::FromElementsOp::create(builder, vector, old).getResult() : old);
    return success();
  }

private:
  /// Most instructions do not work on memory of the host or of another device that is accessed without caches. Kernels
  /// may use these only for atomics of the scope `system`, for which LLVM then takes what works everywhere.
  static Value emit(Builder &builder, thread::AtomicRMWOp op, Value value) {
    auto atomic = LLVM::AtomicRMWOp::create(builder, atomicBinOpOf(op.getKind()), op.getPtr(), value,
                                            atomicOrderingOf(op.getSem()), scopeName(op.getScope()));
    if (op.getScope() != tile::SyncScope::System) {
      ROCDL::ROCDLDialect::NoFineGrainedMemoryAttrHelper(builder.getContext()).setAttr(atomic, builder.getUnitAttr());
      ROCDL::ROCDLDialect::NoRemoteMemoryAttrHelper(builder.getContext()).setAttr(atomic, builder.getUnitAttr());
    }
    return atomic;
  }
};

struct CompareExchange : OpRewritePattern<thread::CompareExchangeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(thread::CompareExchangeOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    Type type = op.getType(), bits = bitsOf(type);
    auto cast = [&](Type to, Value value) -> Value {
      return value.getType() == to ? value : LLVM::BitcastOp::create(builder, to, value).getResult();
    };
    Value cmp = cast(bits, op.getCmp()), value = cast(bits, op.getValue());
    Value old = emitWhere(builder, op.getMask(), bits, [&]() -> Value {
      // LLVM requires at least the order of a failed exchange of a load, which cannot release.
      bool acquires = op.getSem() == tile::MemSemantic::Acquire || op.getSem() == tile::MemSemantic::AcqRel;
      auto exchange = LLVM::AtomicCmpXchgOp::create(
          builder, op.getPtr(), cmp, value, atomicOrderingOf(op.getSem()),
          acquires ? LLVM::AtomicOrdering::acquire : LLVM::AtomicOrdering::monotonic, scopeName(op.getScope()));
      return LLVM::ExtractValueOp::create(builder, exchange, 0);
    });
    rewriter.replaceOp(op, cast(type, old));
    return success();
  }

private:
  /// LLVM compares integers and pointers only.
  static Type bitsOf(Type type) {
    return type.isSignlessInteger() || isa<LLVM::LLVMPointerType>(type)
               ? type
               : IntegerType::get(type.getContext(), static_cast<unsigned>(8 * bytesOf(type)));
  }
  static int64_t bytesOf(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return (vector ? vector.getNumElements() : 1) * tilegpu::bytesOf(getElementTypeOrSelf(type));
  }
};

struct Fence : OpRewritePattern<thread::FenceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::FenceOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::FenceOp>(op, LLVM::AtomicOrdering::acq_rel, scopeName(op.getScope()));
    return success();
  }
};

} // namespace

void addAtomicPatterns(RewritePatternSet &patterns) {
  patterns.add<AtomicRMW, CompareExchange, Fence>(patterns.getContext());
}

} // namespace tilewright::amd
