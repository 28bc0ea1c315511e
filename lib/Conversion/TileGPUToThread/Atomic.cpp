// Atomics: the thread that owns an element executes its atomic. Contiguous floats are combined into vector atomics if
// the target has them.
//
// Only the owner has the result; stage-operands shares it with other threads through shared memory.

#include "TileGPUToThread.h"

#include "tilewright/Conversion/Atomics.h"

#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"
#include "tilewright/Layout/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::gpu {
namespace {

using tile::MemSemantic;

/// How many of `most` contiguous elements one instruction combines.
int elementsAtOnce(tile::AtomicRMWOp op, Type element, int most) {
  if (op.getKind() != tile::RMWKind::FAdd) {
    return 1;
  }
  std::optional<hardware::ElementType> type = atomicElementOf(element);
  int elements = 1;
  for (const hardware::AtomicAdd *row : tilegpu::targetOf(op).atomicAdds) {
    if (row->type == type && row->elements <= most) {
      elements = std::max(elements, row->elements);
    }
  }
  return elements;
}

/// If an operation takes several atomic instructions, one fence before and one after them replace the ordering of each.
struct Order {
  bool before = false, after = false;
  MemSemantic each;

  Order(MemSemantic sem, size_t instructions) : each(sem) {
    if (instructions > 1 && sem != MemSemantic::Relaxed) {
      before = sem != MemSemantic::Acquire;
      after = sem != MemSemantic::Release;
      each = MemSemantic::Relaxed;
    }
  }
};

void fence(Builder &builder, bool isNeeded, tile::SyncScope scope) {
  if (isNeeded) {
    thread::FenceOp::create(builder, scope);
  }
}

/// For each register, whether this thread executes its atomic.
SmallVector<Value> masksOf(Builder &builder, Value ptr, Value mask, size_t registers) {
  Value owner =
      isa<RankedTensorType>(ptr.getType()) ? ownsElements(builder, tilegpu::mapOf(ptr)) : isFirstThread(builder);
  if (!owner) {
    owner = arith::ConstantIntOp::create(builder, 1, 1);
  }
  if (!mask) {
    return SmallVector<Value>(registers, owner);
  }
  SmallVector<Value> masks = unpack(builder, asVector(builder, mask));
  for (Value &each : masks) {
    each = arith::AndIOp::create(builder, each, owner);
  }
  return masks;
}

/// The registers of one instruction, whose addresses are consecutive.
using Group = SmallVector<int64_t>;

struct AtomicRMW : OpConversionPattern<tile::AtomicRMWOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    Value values = asVector(builder, adaptor.getValue());
    SmallVector<Value> pointers = unpack(builder, asVector(builder, adaptor.getPtr()));
    SmallVector<Value> masks = masksOf(builder, op.getPtr(), adaptor.getMask(), pointers.size());
    SmallVector<Value> old(pointers.size());
    SmallVector<Group> groups = groupsOf(op, pointers.size());
    Order order(op.getSem(), groups.size());
    fence(builder, order.before, op.getScope());
    for (const Group &group : groups) {
      Value mask = masks[group.front()], pointer = pointers[group.front()];
      Value value = selectRegisters(builder, values, group);
      Value before = thread::AtomicRMWOp::create(builder, value.getType(), op.getKind(), value, mask, pointer,
                                                 order.each, op.getScope());
      for (auto [reg, element] : llvm::zip_equal(group, unpack(builder, before))) {
        old[reg] = element;
      }
    }
    fence(builder, order.after, op.getScope());
    rewriter.replaceOp(op, isa<VectorType>(adaptor.getValue().getType()) ? pack(builder, old) : old.front());
    return success();
  }

private:
  static Type elementOf(tile::AtomicRMWOp op) { return tile::getElementType(op.getValue().getType()); }

  SmallVector<Group> groupsOf(tile::AtomicRMWOp op, size_t registers) const {
    SmallVector<Group> groups;
    for (const std::vector<int> &contiguous : layout::registersOf(tilegpu::vectorAccessOf(op), registers)) {
      size_t step = elementsAtOnce(op, elementOf(op), static_cast<int>(contiguous.size()));
      for (size_t first = 0; first < contiguous.size(); first += step) {
        groups.emplace_back(contiguous.begin() + first, contiguous.begin() + first + step);
      }
    }
    return groups;
  }
};

struct AtomicCAS : OpConversionPattern<tile::AtomicCASOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tile::AtomicCASOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    SmallVector<Value> pointers = unpack(builder, asVector(builder, adaptor.getPtr()));
    SmallVector<Value> cmps = unpack(builder, asVector(builder, adaptor.getCmp()));
    SmallVector<Value> values = unpack(builder, asVector(builder, adaptor.getValue()));
    SmallVector<Value> masks = masksOf(builder, op.getPtr(), adaptor.getMask(), pointers.size()), old;
    Order order(op.getSem(), pointers.size());
    fence(builder, order.before, op.getScope());
    for (auto [pointer, cmp, value, mask] : llvm::zip_equal(pointers, cmps, values, masks)) {
      old.push_back(thread::CompareExchangeOp::create(builder, value.getType(), cmp, value, mask, pointer, order.each,
                                                      op.getScope()));
    }
    fence(builder, order.after, op.getScope());
    rewriter.replaceOp(op, isa<VectorType>(adaptor.getValue().getType()) ? pack(builder, old) : old.front());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Counts in shared memory
//===----------------------------------------------------------------------===//

/// Adds one to the count of each element that this thread owns, if there is one.
struct LocalHistogram : OpConversionPattern<tilegpu::LocalHistogramOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(tilegpu::LocalHistogramOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Builder builder(op.getLoc(), rewriter);
    const layout::LinearLayout &map = tilegpu::mapOf(op.getSrc());
    Value owner = ownsElements(builder, map);
    uint64_t replicas = layout::freeBits(map)[0]; // among registers
    for (auto [reg, element] : llvm::enumerate(unpack(builder, adaptor.getSrc()))) {
      if ((reg & replicas) == 0) {
        count(builder, element, owner, adaptor.getBuffer(), op.getBuffer().getType());
      }
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void count(Builder &builder, Value element, Value owner, Value base, tilegpu::BufferType buffer) {
    Value bins = arith::ConstantIntOp::create(builder, element.getType(), buffer.getShape()[0]);
    Value isCounted = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, element, bins);
    if (owner) {
      isCounted = arith::AndIOp::create(builder, isCounted, owner);
    }
    Type i32 = builder.getI32Type();
    Value bin = element.getType().isInteger(64) ? arith::TruncIOp::create(builder, i32, element).getResult() : element;
    Value address = LLVM::GEPOp::create(builder, base.getType(), i32, base, bin);
    thread::AtomicRMWOp::create(builder, i32, tile::RMWKind::Add, constantI32(builder, 1), isCounted, address,
                                MemSemantic::Relaxed, tile::SyncScope::CTA);
  }
};

} // namespace

void addAtomicPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<AtomicRMW, AtomicCAS, LocalHistogram>(types, patterns.getContext());
}

} // namespace tilewright::gpu
