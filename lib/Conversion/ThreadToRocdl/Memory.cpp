// Loads and stores at addresses of 64 bits, which have no mask: those of lanes that a branch leaves out do not happen.

#include "ThreadToRocdl.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::amd {
namespace {

using tile::CacheModifier;
using tile::EvictionPolicy;

/// The address, with the offset if there is one.
template <typename Access> Value addressOf(Builder &builder, Access op) {
  if (!op.getOffset()) {
    return op.getPtr();
  }
  Value bytes = arith::ExtUIOp::create(builder, builder.getI64Type(), op.getOffset());
  return LLVM::GEPOp::create(builder, op.getPtr().getType(), builder.getI8Type(), op.getPtr(), bytes);
}

/// The size in memory, of which the address is a multiple.
unsigned bytesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return static_cast<unsigned>((vector ? vector.getNumElements() : 1) * tilegpu::bytesOf(getElementTypeOrSelf(type)));
}

struct Load : OpRewritePattern<thread::LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::LoadOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitLoad(builder, op));
    return success();
  }
};

struct Store : OpRewritePattern<thread::StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::StoreOp op, PatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    if (op.getMask()) {
      auto branch = scf::IfOp::create(builder, op.getMask(), /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    LLVM::StoreOp::create(builder, op.getValue(), addressOf(builder, op), bytesOf(op.getValue().getType()),
                          /*isVolatile=*/false, isStreamed(op.getCache(), op.getEvict()));
    rewriter.eraseOp(op);
    return success();
  }
};

/// The address of the dynamic shared memory of the launch, which determines its size.
struct SharedMemory : OpRewritePattern<thread::SharedMemoryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(thread::SharedMemoryOp op, PatternRewriter &rewriter) const override {
    static constexpr llvm::StringLiteral kName = "tilewright_shared";
    Builder builder(op.getLoc(), rewriter);
    auto module = op->getParentOfType<ModuleOp>();
    auto global = module.lookupSymbol<LLVM::GlobalOp>(kName);
    if (!global) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(module.getBody());
      auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
      // The location of the use may be an inlined call site, which is only valid inside a function.
      global = LLVM::GlobalOp::create(builder, module.getLoc(), bytes, /*isConstant=*/false, LLVM::Linkage::External,
                                      kName, Attribute(), static_cast<unsigned>(tilegpu::targetOf(op).lineBytes),
                                      thread::kSharedSpace);
    }
    rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(op, global);
    return success();
  }
};

} // namespace

bool isStreamed(CacheModifier cache, EvictionPolicy evict) {
  return cache == CacheModifier::CS || evict == EvictionPolicy::First;
}

Value emitLoad(Builder &builder, thread::LoadOp op) {
  bool isVolatile = op.getIsVolatile() || op.getCache() == CacheModifier::CV; // which reads memory each time
  return LLVM::LoadOp::create(builder, op.getType(), addressOf(builder, op), bytesOf(op.getType()), isVolatile,
                              isStreamed(op.getCache(), op.getEvict()));
}

void addMemoryPatterns(RewritePatternSet &patterns) { patterns.add<Load, Store, SharedMemory>(patterns.getContext()); }

} // namespace tilewright::amd
