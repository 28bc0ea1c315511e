// Loads from and stores to global memory, with as few and as wide accesses as layout, alignment and mask allow.

#include "Distribute.h"

#include "tilewright/Dialect/Ptx/IR/Ptx.h"
#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::distribute {

using layout::LinearLayout;
using tilegpu::bytesOf;

static StringRef cacheName(tile::CacheModifier cache) {
  return cache == tile::CacheModifier::None ? "" : tile::stringifyCacheModifier(cache);
}

static StringRef evictName(tile::EvictionPolicy evict) {
  switch (evict) {
  case tile::EvictionPolicy::Normal:
    return "";
  case tile::EvictionPolicy::First:
    return "L1::evict_first";
  case tile::EvictionPolicy::Last:
    return "L1::evict_last";
  }
  return "";
}

static SmallVector<int64_t> indices(const std::vector<int> &group) { return {group.begin(), group.end()}; }

/// Loads contiguous elements, as many as `type` has.
static Value emitLoad(tile::LoadOp op, VectorType type, Value address, Value mask, Value other, Builder &builder) {
  auto inMemory = type.clone(memoryType(type.getElementType()));
  bool isPlain = op.getCache() == tile::CacheModifier::None && op.getEvict() == tile::EvictionPolicy::Normal;
  Value loaded;
  if (!mask && isPlain) {
    unsigned alignment = inMemory.getNumElements() * bytesOf(type.getElementType());
    loaded = LLVM::LoadOp::create(builder, inMemory, address, alignment, op.getIsVolatile());
  } else {
    mask = mask ? mask : arith::ConstantIntOp::create(builder, 1, 1).getResult();
    other = other ? toMemory(builder, other) : LLVM::ZeroOp::create(builder, inMemory).getResult();
    loaded = ptx::LoadOp::create(builder, inMemory, other, mask, address, cacheName(op.getCache()),
                                 evictName(op.getEvict()), op.getIsVolatile());
  }
  return fromMemory(builder, loaded, type.getElementType());
}

static void emitStore(tile::StoreOp op, Value value, Value address, Value mask, Builder &builder) {
  Type element = cast<VectorType>(value.getType()).getElementType();
  value = toMemory(builder, value);
  bool isPlain = op.getCache() == tile::CacheModifier::None && op.getEvict() == tile::EvictionPolicy::Normal;
  if (!mask && isPlain) {
    unsigned alignment = cast<VectorType>(value.getType()).getNumElements() * bytesOf(element);
    LLVM::StoreOp::create(builder, value, address, alignment);
    return;
  }
  mask = mask ? mask : arith::ConstantIntOp::create(builder, 1, 1).getResult();
  ptx::StoreOp::create(builder, value, mask, address, cacheName(op.getCache()), evictName(op.getEvict()));
}

namespace {

/// All threads load a scalar, which costs no more than a load by one of them.
struct Load : OpConversionPattern<tile::LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    Type result = getTypeConverter()->convertType(op.getType());
    Type element = getElementTypeOrSelf(result);
    SmallVector<Value> pointers = unpack(builder, asVector(builder, adaptor.getPtr()));
    SmallVector<Value> masks, elements(pointers.size());
    if (adaptor.getMask()) {
      masks = unpack(builder, asVector(builder, adaptor.getMask()));
    }
    Value others = asVector(builder, adaptor.getOther());
    for (const std::vector<int> &group : layout::registersOf(tilegpu::vectorAccessOf(op), pointers.size())) {
      Value other = others ? selectRegisters(builder, others, indices(group)) : Value();
      Value loaded = emitLoad(op, VectorType::get(group.size(), element), pointers[group[0]],
                              masks.empty() ? Value() : masks[group[0]], other, builder);
      for (auto [index, value] : llvm::enumerate(unpack(builder, loaded))) {
        elements[group[index]] = value;
      }
    }
    rewriter.replaceOp(op, isa<VectorType>(result) ? pack(builder, elements) : elements.front());
    return success();
  }
};

/// If several threads hold the same element, one of them stores it. The first thread stores scalars.
struct Store : OpConversionPattern<tile::StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    Value values = asVector(builder, adaptor.getValue());
    SmallVector<Value> pointers = unpack(builder, asVector(builder, adaptor.getPtr()));
    SmallVector<Value> masks;
    if (adaptor.getMask()) {
      masks = unpack(builder, asVector(builder, adaptor.getMask()));
    }
    Value owner = isa<RankedTensorType>(op.getPtr().getType()) ? ownsElements(builder, tilegpu::mapOf(op.getPtr()))
                                                               : isFirstThread(builder);
    for (const std::vector<int> &group : layout::registersOf(tilegpu::vectorAccessOf(op), pointers.size())) {
      Value mask = masks.empty() ? owner : masks[group[0]];
      if (owner && !masks.empty()) {
        mask = arith::AndIOp::create(builder, mask, owner);
      }
      emitStore(op, selectRegisters(builder, values, indices(group)), pointers[group[0]], mask, builder);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addMemoryPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Load, Store>(types, patterns.getContext());
}

} // namespace tilewright::distribute
