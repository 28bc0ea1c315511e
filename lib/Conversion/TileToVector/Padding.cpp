// Reductions of tiles that are larger than what masks let through: a row of 781 elements in a tile of 1,024.
//
//     x = load p, k < n, other = -inf       beyond n, x and e have the same value everywhere, the padding's
//     e = exp (x - m)
//     s = reduce add e
//
// The loop along the axis ends where the mask does. The value of the padding is computed once, at the tile's last
// element, by the same operations as vectors, so that it has the same bits. It is combined with the result once, and
// stored to the rest of the tiles that the nest keeps:
//
//     pad = e[1023]
//     end = pad + pad == pad ? n : 1024     combining it once is as good as many times, as with 0 and infinity
//     for i in 0..end step 64: acc = acc + e[i .. i+64]
//     acc = acc + pad, if there is padding

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

/// Shorter loops are not worth the computation of the padding.
static constexpr int64_t kFewestSteps = 4;

//===----------------------------------------------------------------------===//
// Which values are the same beyond the end of a mask
//===----------------------------------------------------------------------===//

namespace {

/// What is known of tiles where `condition` does not hold. `axis` is the dimension of a tile along which the condition
/// varies.
class BeyondMask {
public:
  explicit BeyondMask(arith::CmpIOp condition) : condition(condition) {}

  /// Whether all elements beyond the end, at one position along other dimensions, are the same.
  bool isUniform(Value tile, int axis) {
    if (!isTile(tile) || tile::getShape(tile.getType())[axis] == 1) {
      return true;
    }
    if (auto known = uniform.find({tile, axis}); known != uniform.end()) {
      return known->second;
    }
    bool result = isFalse(tile, axis) || hasUniformValue(tile, axis);
    return uniform[{tile, axis}] = result;
  }

  /// Whether a tile of booleans is false beyond the end.
  bool isFalse(Value mask, int axis) {
    if (!mask || !isTile(mask) || tile::getShape(mask.getType())[axis] == 1) {
      return false;
    }
    if (auto known = knownFalse.find({mask, axis}); known != knownFalse.end()) {
      return known->second;
    }
    bool result = includesCondition(mask.getDefiningOp(), axis);
    return knownFalse[{mask, axis}] = result;
  }

private:
  /// The condition varies along its only dimension with more than one element, which is the axis here.
  bool includesCondition(Operation *op, int axis) {
    if (!op || op == condition) {
      return op != nullptr;
    }
    if (auto inner = positionOf(op, axis)) {
      return isFalse(op->getOperand(0), *inner);
    }
    return isa<arith::AndIOp>(op) && (isFalse(op->getOperand(0), axis) || isFalse(op->getOperand(1), axis));
  }

  /// The axis of the operand of a broadcast, or of an operation that adds another dimension.
  static std::optional<int> positionOf(Operation *op, int axis) {
    if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
      int added = static_cast<int>(expand.getAxis());
      return added == axis ? std::nullopt : std::optional(axis - (added < axis ? 1 : 0));
    }
    return isa<tile::BroadcastOp>(op) ? std::optional(axis) : std::nullopt;
  }

  bool hasUniformValue(Value tile, int axis) {
    Operation *op = tile.getDefiningOp();
    if (!op) {
      return false;
    }
    if (isa<arith::ConstantOp>(op)) {
      return isa<SplatElementsAttr>(cast<arith::ConstantOp>(op).getValue());
    }
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      return !load.getIsVolatile() && isFalse(load.getMask(), axis) &&
             (!load.getOther() || isUniform(load.getOther(), axis));
    }
    if (auto select = dyn_cast<arith::SelectOp>(op); select && isFalse(select.getCondition(), axis)) {
      return isUniform(select.getFalseValue(), axis);
    }
    if (auto inner = positionOf(op, axis)) {
      return isUniform(op->getOperand(0), *inner);
    }
    bool isPointwise = isa<tile::SplatOp>(op) || op->hasTrait<OpTrait::Elementwise>();
    return isPointwise && isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isUniform(operand, axis); });
  }

  arith::CmpIOp condition;
  llvm::DenseMap<std::pair<Value, int>, bool> uniform, knownFalse; ///< by tile and axis
};

/// Whether a nest needs nothing beyond the end but the padding of what it reduces and keeps.
bool endsWith(const Nest &nest, BeyondMask &beyond) {
  return llvm::all_of(nest.sinks, [&](const Sink &sink) {
    if (auto store = dyn_cast_or_null<tile::StoreOp>(sink.op)) {
      return tile::getShape(store.getPtr().getType()) == ArrayRef(nest.shape) &&
             beyond.isFalse(store.getMask(), nest.reduceAxis);
    }
    auto reduce = dyn_cast_or_null<tile::ReduceOp>(sink.op);
    if (sink.op && !(reduce && isElementwise(reduce.getCombiner()))) {
      return false;
    }
    return llvm::all_of(getTileOperands(sink), [&](Value tile) {
      return tile::getShape(tile.getType()) == ArrayRef(nest.shape) &&
             tile::getElementType(tile.getType()).isIntOrFloat() && beyond.isUniform(tile, nest.reduceAxis);
    });
  });
}

/// The comparisons that the nest's sinks depend on, masks of loads among them.
SmallVector<arith::CmpIOp> comparisonsOf(const Nest &nest) {
  llvm::SmallSetVector<Operation *, 32> operations;
  auto add = [&](Value value) {
    if (isTile(value) && value.getDefiningOp()) {
      operations.insert(value.getDefiningOp());
    }
  };
  for (const Sink &sink : nest.sinks) {
    llvm::for_each(getTileOperands(sink), add);
  }
  constexpr size_t kMost = 64; // of a long chain, the last loads decide
  llvm::SmallSetVector<arith::CmpIOp, 4> found;
  for (size_t next = 0; next < operations.size() && next < kMost; ++next) {
    Operation *op = operations[next];
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      found.insert(compare);
    }
    if (isLazy(op)) {
      llvm::for_each(op->getOperands(), add);
    }
  }
  return found.takeVector();
}

} // namespace

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

Value Emitter::findPadding(const Nest &nest, const Shape &shape) {
  int64_t step = shape.stepAlong(nest.reduceAxis);
  int64_t size = shape.sizes[nest.reduceAxis];
  bool isWorthIt = size >= kFewestSteps * step && size % step == 0;
  if (!isWorthIt || program.checkedSlots) { // where accesses are checked, all of them are
    return {};
  }
  for (arith::CmpIOp compare : comparisonsOf(nest)) {
    BeyondMask beyond(compare);
    ArrayRef<int64_t> sizes = tile::getShape(compare.getType());
    bool isLine = llvm::count_if(sizes, [](int64_t each) { return each > 1; }) == 1 && llvm::is_contained(sizes, size);
    if (!isLine || !isOfNumbers(compare) || !endsWith(nest, beyond)) {
      continue;
    }
    if (Value count = countInBounds(MaskCondition{compare, nest.reduceAxis, size})) {
      return count;
    }
  }
  return {};
}

/// i1: whether combining a value with itself makes no difference.
static Value isIdempotent(Emitter &e, tile::ReduceOp reduce, ArrayRef<Value> values) {
  Location loc = reduce.getLoc();
  Value result;
  for (auto [value, twice] : llvm::zip_equal(values, e.combine(reduce.getCombiner(), values, values))) {
    Type element = e.b.getIntegerType(getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth());
    Type bits = Emitter::vectorOf(element, Emitter::widthOf(value));
    Value same =
        arith::CmpIOp::create(e.b, loc, arith::CmpIPredicate::eq, arith::BitcastOp::create(e.b, loc, bits, value),
                              arith::BitcastOp::create(e.b, loc, bits, twice));
    if (Emitter::widthOf(same) > 1) {
      same = vector::ReductionOp::create(e.b, loc, vector::CombiningKind::AND, same);
    }
    result = result ? arith::AndIOp::create(e.b, loc, result, same).getResult() : same;
  }
  return result;
}

Emitter::PaddedLine Emitter::beginPaddedLine(const Nest &nest, const Shape &shape, Value end, Point point) {
  int axis = nest.reduceAxis;
  int64_t size = shape.sizes[axis];
  point.index[axis] = i64(size - 1);
  if (point.vectorDim == axis) {
    point = point.first();
  }
  PaddedLine line;
  Value canEnd = constant(b.getBoolAttr(true));
  for (const Sink &sink : nest.sinks) {
    if (auto reduce = dyn_cast_or_null<tile::ReduceOp>(sink.op)) {
      auto values = llvm::map_to_vector(reduce.getOperands(), [&](Value tile) { return evaluateVector(tile, point); });
      canEnd = arith::AndIOp::create(b, end.getLoc(), canEnd, isIdempotent(*this, reduce, values));
      llvm::append_range(line.reduced, values);
    } else if (!sink.op) {
      line.kept.push_back(evaluate(sink.value, point));
    }
  }
  // The first step replaces the accumulators of combiners without a neutral element.
  Value atLeastOne = arith::MaxSIOp::create(b, end.getLoc(), end, i64(1));
  line.end = arith::SelectOp::create(b, end.getLoc(), canEnd, atLeastOne, i64(size));
  return line;
}

SmallVector<Value> Emitter::endPaddedLine(const Nest &nest, const Shape &shape, const PaddedLine &line, Point point,
                                          ArrayRef<Value> accumulators, const llvm::DenseMap<Value, Buffer> &made) {
  int axis = nest.reduceAxis;
  Location loc = line.end.getLoc();
  int64_t step = shape.stepAlong(axis);
  Value padding = roundUp(line.end, step), size = i64(shape.sizes[axis]);
  Value hasPadding = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, padding, size);
  SmallVector<Value> results;
  ArrayRef<Value> pads = line.reduced;
  for (const Sink &sink : nest.sinks) {
    if (auto reduce = dyn_cast_or_null<tile::ReduceOp>(sink.op)) {
      ArrayRef<Value> mine = accumulators.slice(results.size(), reduce.getNumOperands());
      auto values = llvm::map_to_vector(pads.slice(results.size(), mine.size()),
                                        [&](Value pad) { return broadcast(pad, point.width); });
      for (auto [value, combined] : llvm::zip_equal(mine, combine(reduce.getCombiner(), mine, values))) {
        results.push_back(arith::SelectOp::create(b, loc, hasPadding, combined, value));
      }
    }
  }
  if (!line.kept.empty()) {
    auto loop = scf::ForOp::create(b, loc, padding, size, i64(step));
    OpBuilder::InsertionGuard guard(b);
    CacheScope scope(*this);
    b.setInsertionPointToStart(loop.getBody());
    point.index[axis] = loop.getInductionVar();
    const Value *pad = line.kept.begin();
    for (const Sink &sink : nest.sinks) {
      if (!sink.op) {
        Value value = broadcast(*pad++, point.width);
        writeBuffer(made.find(sink.value)->second, normalize(sink.value.getType(), point), value);
      }
    }
  }
  return results;
}

} // namespace tilewright::cpu
