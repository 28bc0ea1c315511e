// Accesses to an argument's memory at an offset of 32 bits become buffer accesses. A buffer resource holds the
// argument, or an address that a loop moves away from it, and a size, which the hardware compares with the offsets: a
// load from beyond it gives zero, and a store there does nothing. So a masked access needs no branch:
//
//     thread.load %x plus %o mask %m        ->    %b = rocdl.make.buffer.rsrc %x, 0, 2^31 - 1, flags
//                                                 %s = arith.select %m, %o, 2^31
//                                                 rocdl.raw.ptr.buffer.load %b, %s, 0, 0
//
// The resource is in scalar registers, because all threads have the same address there.

#include "ThreadToRocdl.h"

#include "tilewright/Hardware/Amd.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace tilewright::amd {
namespace {

/// The size of the resource, and an offset that is out of its range, also for the parts of an access that LLVM splits:
/// those of threads whose accesses happen are below (`thread.load`).
constexpr int64_t kSize = (int64_t(1) << 31) - 1, kOutside = int64_t(1) << 31;

constexpr unsigned kResourceSpace = 8;

const hardware::AmdInfo &infoOf(Operation *op) { return *hardware::lookupAmd(tilegpu::targetOf(op).name); }

unsigned bitsOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return static_cast<unsigned>((vector ? vector.getNumElements() : 1) * 8 *
                               tilegpu::bytesOf(getElementTypeOrSelf(type)));
}

/// The integer, or vector of words, that an access of the type moves: there are intrinsics for all of these.
Type movedType(Builder &builder, Type type) {
  constexpr unsigned kWord = 32;
  unsigned bits = bitsOf(type);
  return bits <= kWord ? Type(builder.getIntegerType(bits)) : VectorType::get(bits / kWord, builder.getI32Type());
}

/// Whether the value is zero whatever its type is.
bool isZero(Value value) {
  if (value.getDefiningOp<LLVM::ZeroOp>()) {
    return true;
  }
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant))) {
    return false;
  }
  if (auto elements = dyn_cast<SplatElementsAttr>(constant)) {
    constant = elements.getSplatValue<Attribute>();
  }
  if (auto number = dyn_cast<FloatAttr>(constant)) {
    return number.getValue().isPosZero();
  }
  auto number = dyn_cast<IntegerAttr>(constant);
  return number && number.getValue().isZero();
}

/// The resource of an address, which is made once, that of an argument at the function's entry: the optimizer would
/// make the resources of several branches a choice between them, and a choice that it takes for one of each thread a
/// loop over the threads.
Value resourceOf(Builder &builder, Operation *op, Value base, Resources &resources) {
  Value &resource = resources[base];
  if (resource) {
    return resource;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(base);
  auto type = LLVM::LLVMPointerType::get(builder.getContext(), kResourceSpace);
  Value stride = arith::ConstantIntOp::create(builder, builder.getI16Type(), 0);
  Value size = arith::ConstantIntOp::create(builder, builder.getI64Type(), kSize);
  Value flags = constantI32(builder, static_cast<int32_t>(infoOf(op).bufferFlags));
  return resource = ROCDL::MakeBufferRsrcOp::create(builder, type, base, stride, size, flags);
}

/// The operands after the resource: the thread's offset, one of the wave, and how the caches are used.
template <typename Access> std::array<Value, 3> placeOf(Builder &builder, Access op, int streamed) {
  Value offset = op.getOffset();
  if (op.getMask()) {
    Value outside = constantI32(builder, static_cast<int32_t>(kOutside));
    offset = arith::SelectOp::create(builder, op.getMask(), offset, outside);
  }
  int bits = isStreamed(op.getCache(), op.getEvict()) ? streamed : 0;
  return {offset, constantI32(builder, 0), constantI32(builder, bits)};
}

struct BufferLoad : OpRewritePattern<thread::LoadOp> {
  BufferLoad(MLIRContext *context, Resources &resources)
      : OpRewritePattern(context, /*benefit=*/2), resources(resources) {}

  LogicalResult matchAndRewrite(thread::LoadOp op, PatternRewriter &rewriter) const override {
    if (!isBufferAccess(op)) {
      return failure();
    }
    Builder builder(op.getLoc(), rewriter);
    Value resource = resourceOf(builder, op, op.getPtr(), resources);
    auto [offset, ofWave, bits] = placeOf(builder, op, infoOf(op).streamedLoad);
    Value moved = ROCDL::RawPtrBufferLoadOp::create(builder, movedType(builder, op.getType()), resource, offset, ofWave,
                                                    bits, /*alias_scopes=*/ArrayAttr(), /*noalias_scopes=*/ArrayAttr(),
                                                    /*tbaa=*/ArrayAttr());
    Value loaded = LLVM::BitcastOp::create(builder, op.getType(), moved);
    if (op.getOther() && !isZero(op.getOther())) {
      loaded = LLVM::SelectOp::create(builder, op.getMask(), loaded, op.getOther());
    }
    rewriter.replaceOp(op, loaded);
    return success();
  }

private:
  Resources &resources;
};

struct BufferStore : OpRewritePattern<thread::StoreOp> {
  BufferStore(MLIRContext *context, Resources &resources)
      : OpRewritePattern(context, /*benefit=*/2), resources(resources) {}

  LogicalResult matchAndRewrite(thread::StoreOp op, PatternRewriter &rewriter) const override {
    if (!isBufferAccess(op)) {
      return failure();
    }
    Builder builder(op.getLoc(), rewriter);
    Value resource = resourceOf(builder, op, op.getPtr(), resources);
    Value moved = LLVM::BitcastOp::create(builder, movedType(builder, op.getValue().getType()), op.getValue());
    auto [offset, ofWave, bits] = placeOf(builder, op, infoOf(op).streamedStore);
    ROCDL::RawPtrBufferStoreOp::create(builder, moved, resource, offset, ofWave, bits, /*alias_scopes=*/ArrayAttr(),
                                       /*noalias_scopes=*/ArrayAttr(), /*tbaa=*/ArrayAttr());
    rewriter.eraseOp(op);
    return success();
  }

private:
  Resources &resources;
};

template <typename Access> bool hasBuffer(Access op) { return op.getOffset() && infoOf(op).bufferFlags != 0; }

} // namespace

bool isBufferAccess(thread::LoadOp op) {
  bool readsEachTime = op.getIsVolatile() || op.getCache() == tile::CacheModifier::CV;
  return hasBuffer(op) && !readsEachTime;
}

bool isBufferAccess(thread::StoreOp op) { return hasBuffer(op); }

void addBufferPatterns(RewritePatternSet &patterns, Resources &resources) {
  patterns.add<BufferLoad, BufferStore>(patterns.getContext(), resources);
}

} // namespace tilewright::amd
