// What masks say of a whole tile: whether they hold everywhere, and up to where they may hold.
//
// Most masks are conjunctions of conditions that vary along one dimension each, which takes a few vectors to evaluate:
//
//     %rows = cmpi slt, %m, %M : [BM, 1]
//     %mask = andi (broadcast %rows), (broadcast %columns) : [BM, BN]

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

/// A mask of more conditions is not worth their evaluation, and could have exponentially many.
static constexpr size_t kMostConditions = 8;

/// `dims` has the mask's dimension for each dimension of `tile`.
static bool split(Value tile, ArrayRef<int> dims, SmallVectorImpl<MaskCondition> &conditions) {
  if (conditions.size() >= kMostConditions) {
    return false;
  }
  Operation *op = isTile(tile) ? tile.getDefiningOp() : nullptr;
  if (isa_and_nonnull<arith::AndIOp, tile::BroadcastOp, tile::SplatOp>(op)) {
    return llvm::all_of(op->getOperands(), [&](Value operand) { return split(operand, dims, conditions); });
  }
  if (auto expand = dyn_cast_or_null<tile::ExpandDimsOp>(op)) {
    SmallVector<int> from(dims);
    from.erase(from.begin() + expand.getAxis());
    return split(op->getOperand(0), from, conditions);
  }
  MaskCondition condition{tile, -1, 1};
  for (auto [dim, size] : llvm::enumerate(isTile(tile) ? tile::getShape(tile.getType()) : ArrayRef<int64_t>())) {
    if (size > 1) {
      if (condition.dim >= 0) {
        return false;
      }
      condition.dim = dims[dim];
      condition.size = size;
    }
  }
  conditions.push_back(condition);
  return true;
}

std::optional<SmallVector<MaskCondition>> splitMask(Value mask) {
  SmallVector<MaskCondition> conditions;
  auto dims = llvm::to_vector(llvm::seq<int>(0, static_cast<int>(tile::getShape(mask.getType()).size())));
  return split(mask, dims, conditions) ? std::optional(conditions) : std::nullopt;
}

static bool isOfNumbers(Value value, llvm::SmallDenseSet<Value> &seen) {
  if (!isTile(value) || !seen.insert(value).second) {
    return true;
  }
  Operation *op = value.getDefiningOp();
  return op && isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         (op->hasTrait<OpTrait::Elementwise>() || getPlacement(op) == Placement::Free) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isOfNumbers(operand, seen); });
}

bool isOfNumbers(Value value) {
  llvm::SmallDenseSet<Value> seen;
  return isOfNumbers(value, seen);
}

/// The first `width` elements of a condition along its only dimension.
Point Emitter::startOf(const MaskCondition &condition, int64_t width) {
  ArrayRef<int64_t> shape = isTile(condition.value) ? tile::getShape(condition.value.getType()) : ArrayRef<int64_t>();
  Point point{SmallVector<Value>(shape.size(), i64(0)), -1, 1};
  if (condition.dim >= 0) {
    const auto *wide = llvm::find_if(shape, [](int64_t size) { return size > 1; });
    point.vectorDim = static_cast<int>(wide - shape.begin());
    point.width = width;
  }
  return point;
}

void Emitter::forEachVector(const MaskCondition &condition, Value start, SmallVectorImpl<Value> &result,
                            llvm::function_ref<Value(Value, Value, Value)> fn) {
  Point point = startOf(condition, std::min(condition.size, cpu.lanes(32)));
  CacheScope scope(*this);
  emitLoop(
      condition.size, point.width, start,
      [&](Value index, ValueRange known) {
        if (condition.dim >= 0) {
          point.index[point.vectorDim] = index;
        }
        return SmallVector<Value>{fn(index, evaluateVector(condition.value, point), known[0])};
      },
      &result);
}

Value Emitter::countInBounds(const MaskCondition &condition) {
  auto compare = condition.value.getDefiningOp<arith::CmpIOp>();
  return compare ? countInBounds(compare, startOf(condition, condition.size)) : Value();
}

Value Emitter::holdsEverywhere(const MaskCondition &condition) {
  Location loc = program.scratch.getLoc();
  if (Value count = countInBounds(condition)) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count, i64(condition.size));
  }
  SmallVector<Value> result;
  forEachVector(condition, constant(b.getBoolAttr(true)), result, [&](Value, Value holds, Value known) -> Value {
    Value all = widthOf(holds) > 1 ? vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, holds) : holds;
    return arith::AndIOp::create(b, loc, known, all);
  });
  return result[0];
}

Value Emitter::extentOf(const MaskCondition &condition) {
  if (Value count = countInBounds(condition)) {
    return count;
  }
  Location loc = program.scratch.getLoc();
  Type i64Type = b.getI64Type();
  SmallVector<Value> result;
  forEachVector(condition, i64(0), result, [&](Value index, Value holds, Value known) -> Value {
    Value bits = holds;
    if (int64_t width = widthOf(holds); width > 1) {
      Value word = vector::BitCastOp::create(b, loc, VectorType::get({1}, b.getIntegerType(width)), holds);
      bits = vector::ExtractOp::create(b, loc, word, 0);
    }
    bits = bits.getType() == i64Type ? bits : arith::ExtUIOp::create(b, loc, i64Type, bits).getResult();
    Value above = LLVM::CountLeadingZerosOp::create(b, loc, i64Type, bits, /*is_zero_poison=*/false);
    Value lanes = arith::SubIOp::create(b, loc, i64(64), above);
    Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bits, i64(0));
    return arith::SelectOp::create(b, loc, any, arith::AddIOp::create(b, loc, index, lanes), known);
  });
  return result[0];
}

Value Emitter::smallestExtent(ArrayRef<MaskCondition> conditions) {
  Value smallest;
  for (const MaskCondition &condition : conditions) {
    Value extent = extentOf(condition);
    smallest = smallest ? arith::MinSIOp::create(b, extent.getLoc(), smallest, extent).getResult() : extent;
  }
  return smallest;
}

SmallVector<Value> Emitter::extentsOfStores(const Nest &nest) {
  Value mask;
  for (const Sink &sink : nest.sinks) {
    auto store = dyn_cast_or_null<tile::StoreOp>(sink.op);
    bool fits = store && store.getMask() && (!mask || mask == store.getMask()) &&
                tile::getShape(store.getMask().getType()) == ArrayRef(nest.shape);
    if (!fits) {
      return {};
    }
    mask = store.getMask();
  }
  auto conditions = splitMask(mask);
  // Where accesses are checked, all of them are.
  if (!conditions || program.checkedSlots) {
    return {};
  }
  SmallVector<Value> extents(nest.shape.size());
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    auto bounds = llvm::to_vector(llvm::make_filter_range(*conditions, [&, dim = dim](const MaskCondition &condition) {
      return condition.dim == static_cast<int>(dim) && isOfNumbers(condition.value);
    }));
    extent = smallestExtent(bounds);
  }
  return extents;
}

} // namespace tilewright::cpu
