// Atomics: the thread that owns an element executes its atomic. Contiguous floats are combined into vector atomics if
// the target has them.
//
// Only the owner has the result; stage-operands shares it with other threads through shared memory.

#include "Distribute.h"

#include "tilewright/Dialect/Ptx/IR/Ptx.h"
#include "tilewright/Dialect/TileGPU/IR/AccessWidth.h"
#include "tilewright/Layout/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::distribute {
namespace {

using tile::MemSemantic;

std::optional<hardware::ElementType> elementTypeOf(Type type) {
  return llvm::TypeSwitch<Type, std::optional<hardware::ElementType>>(type)
      .Case<Float16Type>([](Type) { return hardware::ElementType::F16; })
      .Case<BFloat16Type>([](Type) { return hardware::ElementType::BF16; })
      .Case<Float32Type>([](Type) { return hardware::ElementType::F32; })
      .Case<Float64Type>([](Type) { return hardware::ElementType::F64; })
      .Default(std::nullopt);
}

/// How many of `most` contiguous elements one instruction combines; zero if there is no instruction.
int elementsAtOnce(tile::AtomicRMWOp op, Type element, int most) {
  if (op.getKind() != tile::RMWKind::FAdd) {
    return 1;
  }
  std::optional<hardware::ElementType> type = elementTypeOf(element);
  int elements = 0;
  for (const hardware::AtomicAdd *row : tilegpu::targetOf(op).atomicAdds) {
    if (row->type == type && row->elements <= most) {
      elements = std::max(elements, row->elements);
    }
  }
  return elements;
}

LLVM::AtomicOrdering orderingOf(MemSemantic sem) {
  switch (sem) {
  case MemSemantic::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case MemSemantic::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case MemSemantic::Release:
    return LLVM::AtomicOrdering::release;
  case MemSemantic::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  }
  return LLVM::AtomicOrdering::acq_rel;
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

/// Emits a floating-point addition for which the target has no instruction as an atomicrmw, which LLVM expands to a
/// loop.
Value addByLoop(tile::AtomicRMWOp op, Value value, Value mask, Value ptr, MemSemantic sem, Builder &builder) {
  auto branch = scf::IfOp::create(
      builder, mask,
      [&](OpBuilder &inside, Location loc) {
        Value old = LLVM::AtomicRMWOp::create(inside, loc, LLVM::AtomicBinOp::fadd, ptr, value, orderingOf(sem),
                                              scopeName(op.getScope()));
        scf::YieldOp::create(inside, loc, old);
      },
      [&](OpBuilder &inside, Location loc) {
        Value zero = LLVM::ZeroOp::create(inside, loc, value.getType());
        scf::YieldOp::create(inside, loc, zero);
      });
  return branch.getResult(0);
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
    LLVM::FenceOp::create(builder, LLVM::AtomicOrdering::acq_rel, scopeName(scope));
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
      Value before = update(op, selectRegisters(builder, values, group), mask, pointer, order.each, builder);
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
      size_t step = std::max(1, elementsAtOnce(op, elementOf(op), static_cast<int>(contiguous.size())));
      for (size_t first = 0; first < contiguous.size(); first += step) {
        groups.emplace_back(contiguous.begin() + first, contiguous.begin() + first + step);
      }
    }
    return groups;
  }

  static Value update(tile::AtomicRMWOp op, Value value, Value mask, Value pointer, MemSemantic sem, Builder &builder) {
    if (elementsAtOnce(op, elementOf(op), 1) == 0) {
      return pack(builder, addByLoop(op, unpack(builder, value).front(), mask, pointer, sem, builder));
    }
    return ptx::AtomicOp::create(builder, value.getType(), value, mask, pointer, tile::stringifyRMWKind(op.getKind()),
                                 tile::stringifyMemSemantic(sem), tile::stringifySyncScope(op.getScope()));
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
    SmallVector<Value> masks = masksOf(builder, op.getPtr(), Value(), pointers.size()), old;
    Order order(op.getSem(), pointers.size());
    fence(builder, order.before, op.getScope());
    StringRef sem = tile::stringifyMemSemantic(order.each), scope = tile::stringifySyncScope(op.getScope());
    for (auto [pointer, cmp, value, mask] : llvm::zip_equal(pointers, cmps, values, masks)) {
      old.push_back(ptx::CompareExchangeOp::create(builder, value.getType(), cmp, value, mask, pointer, sem, scope));
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
    scf::IfOp::create(builder, isCounted, [&](OpBuilder &inside, Location loc) {
      Value bin = element;
      if (bin.getType().isInteger(64)) {
        bin = arith::TruncIOp::create(inside, loc, inside.getI32Type(), bin);
      }
      Value address = LLVM::GEPOp::create(inside, loc, base.getType(), inside.getI32Type(), base, bin);
      Value one = arith::ConstantIntOp::create(inside, loc, 1, 32);
      LLVM::AtomicRMWOp::create(inside, loc, LLVM::AtomicBinOp::add, address, one, LLVM::AtomicOrdering::monotonic,
                                scopeName(tile::SyncScope::CTA));
      scf::YieldOp::create(inside, loc);
    });
  }
};

} // namespace

void addAtomicPatterns(RewritePatternSet &patterns, const ThreadTypes &types) {
  patterns.add<AtomicRMW, AtomicCAS, LocalHistogram>(types, patterns.getContext());
}

} // namespace tilewright::distribute
