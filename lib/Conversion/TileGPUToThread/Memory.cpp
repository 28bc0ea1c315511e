// Loads from and stores to global memory, with as few and as wide accesses as layout, alignment and mask allow, and
// loads from a kernel's parameters.

#include "TileGPUToThread.h"

#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::gpu {

static SmallVector<int64_t> indices(const std::vector<int> &group) { return {group.begin(), group.end()}; }

/// Loads contiguous elements, as many as `type` has.
static Value emitLoad(tile::LoadOp op, VectorType type, Place place, Value mask, Value other, Builder &builder) {
  auto inMemory = type.clone(memoryType(type.getElementType()));
  other = mask && other ? toMemory(builder, other) : Value();
  Value loaded = thread::LoadOp::create(builder, inMemory, place.ptr, place.offset, mask, other, op.getCache(),
                                        op.getEvict(), op.getIsVolatile());
  return fromMemory(builder, loaded, type.getElementType());
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
    Value pointers = asVector(builder, adaptor.getPtr());
    size_t registers = cast<VectorType>(pointers.getType()).getNumElements();
    SmallVector<Value> masks, elements(registers);
    if (adaptor.getMask()) {
      masks = unpack(builder, asVector(builder, adaptor.getMask()));
    }
    Value others = asVector(builder, adaptor.getOther());
    for (const std::vector<int> &group : layout::registersOf(tilegpu::vectorAccessOf(op), registers)) {
      Value other = others ? selectRegisters(builder, others, indices(group)) : Value();
      Value loaded = emitLoad(op, VectorType::get(group.size(), element), placeOf(builder, op, pointers, group[0]),
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
    Value pointers = asVector(builder, adaptor.getPtr());
    size_t registers = cast<VectorType>(pointers.getType()).getNumElements();
    SmallVector<Value> masks;
    if (adaptor.getMask()) {
      masks = unpack(builder, asVector(builder, adaptor.getMask()));
    }
    Value owner = isa<RankedTensorType>(op.getPtr().getType()) ? ownsElements(builder, tilegpu::mapOf(op.getPtr()))
                                                               : isFirstThread(builder);
    for (const std::vector<int> &group : layout::registersOf(tilegpu::vectorAccessOf(op), registers)) {
      Value mask = masks.empty() ? owner : masks[group[0]];
      if (owner && !masks.empty()) {
        mask = arith::AndIOp::create(builder, mask, owner);
      }
      Value value = toMemory(builder, selectRegisters(builder, values, indices(group)));
      Place place = placeOf(builder, op, pointers, group[0]);
      thread::StoreOp::create(builder, value, place.ptr, place.offset, mask, op.getCache(), op.getEvict());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Nothing writes to parameters, so that LLVM may move the load.
struct ReadBytes : OpConversionPattern<tile::ReadBytesOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::ReadBytesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto offset = static_cast<int32_t>(op.getOffset());
    Value address = LLVM::GEPOp::create(rewriter, op.getLoc(), adaptor.getBytes().getType(), rewriter.getI8Type(),
                                        adaptor.getBytes(), ArrayRef<LLVM::GEPArg>{offset});
    Type type = getTypeConverter()->convertType(op.getType());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, address, /*alignment=*/0, /*isVolatile=*/false,
                                              /*isNonTemporal=*/false, /*isInvariant=*/true);
    return success();
  }
};

} // namespace

void addMemoryPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<Load, Store, ReadBytes>(types, patterns.getContext());
}

} // namespace tilewright::gpu
