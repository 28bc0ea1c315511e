// Reductions.
//
// A reduction along the vector dimension keeps one partial result per lane and combines the lanes at the end. Along
// another dimension, each lane has its own result:
//
//     sum [512] by 64 lanes                     sum [32 x 512] along 0, by 64 lanes
//       acc = <0, 0, ...>                         for j in 0..512 step 64:
//       for i in 0..512 step 64:                    acc = <0, 0, ...>
//         acc = acc + x[i .. i+64]                  for i in 0..32:
//       result = lanes of acc combined                acc = acc + x[i, j .. j+64]
//                                                   result[j .. j+64] = acc

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

bool isElementwise(Region &combiner) {
  return llvm::all_of(combiner.front().without_terminator(), [](Operation &op) {
    return op.hasTrait<OpTrait::Elementwise>() || op.hasTrait<OpTrait::ConstantLike>();
  });
}

SmallVector<Value> Emitter::combine(Region &combiner, ValueRange lhs, ValueRange rhs) {
  return isElementwise(combiner) ? combineVectors(combiner, lhs, rhs) : combineLanes(combiner, lhs, rhs);
}

SmallVector<Value> Emitter::combineVectors(Region &combiner, ValueRange lhs, ValueRange rhs) {
  Block &body = combiner.front();
  llvm::DenseMap<Value, Value> mapped;
  for (auto [arg, value] :
       llvm::zip(body.getArguments(), llvm::concat<Value>(llvm::to_vector(lhs), llvm::to_vector(rhs)))) {
    mapped[arg] = value;
  }
  auto lookup = [&](Value value) {
    auto it = mapped.find(value);
    return it != mapped.end() ? it->second : scalar(value);
  };
  for (Operation &op : body.without_terminator()) {
    if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
      mapped[constantOp] = constant(cast<TypedAttr>(constantOp.getValue()));
      continue;
    }
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), lookup);
    for (auto [result, value] : llvm::zip(op.getResults(), applyElementwise(&op, operands))) {
      mapped[result] = value;
    }
  }
  int64_t width = lhs.empty() ? 1 : widthOf(lhs[0]);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return broadcast(lookup(value), width); });
}

/// Combines two elements, with any operations in the combiner.
SmallVector<Value> Emitter::combineElements(Region &combiner, ArrayRef<Value> arguments) {
  Block &body = combiner.front();
  for (auto [arg, value] : llvm::zip_equal(body.getArguments(), arguments)) {
    map(arg, value);
  }
  CacheScope scope(*this);
  // The body is emitted several times: its buffers are only valid for this copy.
  llvm::DenseMap<Value, Buffer> outside = buffers;
  hasFailed |= failed(emitBlock(body));
  buffers = std::move(outside);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return hasFailed ? zero(convert(value.getType())) : scalar(value); });
}

/// Applies a combiner with control flow, which may differ between lanes, to one lane after the other.
///
///     for lane in 0..width: result[lane] = combine(lhs[lane], rhs[lane])
SmallVector<Value> Emitter::combineLanes(Region &combiner, ValueRange lhs, ValueRange rhs) {
  SmallVector<Value> arguments(lhs);
  llvm::append_range(arguments, rhs);
  int64_t width = 1;
  for (Value argument : arguments) {
    width = std::max(width, widthOf(argument));
  }
  if (width == 1) {
    return combineElements(combiner, arguments);
  }
  Location loc = combiner.getLoc();
  auto start = llvm::map_to_vector(lhs, [&](Value value) { return broadcast(value, width); });
  auto loop = scf::ForOp::create(b, loc, i64(0), i64(width), i64(1), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value lane = arith::IndexCastOp::create(b, loc, b.getIndexType(), loop.getInductionVar());
  for (Value &argument : arguments) {
    argument = widthOf(argument) == 1 ? argument : vector::ExtractOp::create(b, loc, argument, lane).getResult();
  }
  SmallVector<Value> combined;
  for (auto [value, vector] : llvm::zip_equal(combineElements(combiner, arguments), loop.getRegionIterArgs())) {
    combined.push_back(vector::InsertOp::create(b, loc, value, vector, lane));
  }
  scf::YieldOp::create(b, loc, combined);
  return loop.getResults();
}

/// The neutral element of a combiner with a single operation; null for others.
static TypedAttr neutralElement(OpBuilder &b, Region &combiner, Type type) {
  Block &body = combiner.front();
  if (body.getNumArguments() != 2 || body.getOperations().size() != 2) {
    return {};
  }
  Operation &op = body.front();
  if (op.getNumResults() != 1 || op.getResult(0) != body.getTerminator()->getOperand(0)) {
    return {};
  }
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op)) {
    // Any number wins against NaN, and NaN is the right result if all elements are NaN.
    return b.getFloatAttr(type, APFloat::getNaN(cast<FloatType>(type).getFloatSemantics()));
  }
  if (!isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp, arith::AddIOp, arith::MulIOp,
           arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp>(
          op)) {
    return {};
  }
  std::optional<TypedAttr> neutral = arith::getNeutralElement(&op);
  return neutral ? *neutral : TypedAttr();
}

SmallVector<Value> Emitter::reduceLanes(Region &combiner, SmallVector<Value> vectors) {
  for (int64_t width = widthOf(vectors[0]) / 2; width >= 1; width /= 2) {
    auto half = [&](Value vector, int64_t from) -> Value {
      if (width == 1) {
        return vector::ExtractOp::create(b, vector.getLoc(), vector, ArrayRef<int64_t>{from});
      }
      auto lanes = llvm::to_vector(llvm::seq<int64_t>(from, from + width));
      return vector::ShuffleOp::create(b, vector.getLoc(), vector, vector, lanes);
    };
    auto low = llvm::map_to_vector(vectors, [&](Value vector) { return half(vector, 0); });
    auto high = llvm::map_to_vector(vectors, [&](Value vector) { return half(vector, width); });
    vectors = combine(combiner, low, high);
  }
  return vectors;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The initial accumulators of the loop along the axis. If there is no neutral element, the first step replaces them.
SmallVector<Value> Emitter::startAccumulators(ArrayRef<tile::ReduceOp> reduces, int64_t width) {
  SmallVector<Value> init;
  for (tile::ReduceOp reduce : reduces) {
    for (Value operand : reduce.getOperands()) {
      Type element = getElementTypeOrSelf(operand.getType());
      TypedAttr neutral = neutralElement(b, reduce.getCombiner(), element);
      init.push_back(broadcast(neutral ? constant(neutral) : zero(convert(element)), width));
    }
  }
  return init;
}

/// `values` in the first step, and the combination with the accumulators in later ones. A combiner with control flow
/// must not be executed on the initial accumulators, as a loop in it might not terminate.
SmallVector<Value> Emitter::combineUnless(Value isFirst, tile::ReduceOp reduce, ValueRange accumulators,
                                          ArrayRef<Value> values) {
  Location loc = reduce.getLoc();
  Region &combiner = reduce.getCombiner();
  if (isElementwise(combiner)) {
    SmallVector<Value> combined = combine(combiner, accumulators, values);
    for (auto [value, result] : llvm::zip_equal(values, combined)) {
      result = arith::SelectOp::create(b, loc, isFirst, value, result);
    }
    return combined;
  }
  auto branch = scf::IfOp::create(b, loc, ValueRange(values).getTypes(), isFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, values);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, combine(combiner, accumulators, values));
  return branch.getResults();
}

/// One step of all reductions of a nest.
SmallVector<Value> Emitter::accumulate(ArrayRef<tile::ReduceOp> reduces, ValueRange accumulators, ValueRange elements,
                                       const Point &point, int axis) {
  SmallVector<Value> next;
  for (tile::ReduceOp reduce : reduces) {
    ValueRange mine = accumulators.slice(next.size(), reduce.getNumOperands());
    SmallVector<Value> values(elements.slice(next.size(), reduce.getNumOperands()));
    bool hasNeutral = bool(neutralElement(b, reduce.getCombiner(), getElementTypeOrSelf(values[0].getType())));
    if (hasNeutral) {
      llvm::append_range(next, combine(reduce.getCombiner(), mine, values));
      continue;
    }
    Value isFirst = arith::CmpIOp::create(b, reduce.getLoc(), arith::CmpIPredicate::eq, point.index[axis], i64(0));
    llvm::append_range(next, combineUnless(isFirst, reduce, mine, values));
  }
  return next;
}

/// Stores the results of one line along the axis, or maps them if they are scalars.
void Emitter::finishReductions(ArrayRef<tile::ReduceOp> reduces, ArrayRef<Value> accumulators, Point point, int axis,
                               const llvm::DenseMap<Value, Buffer> &made) {
  if (point.vectorDim == axis) {
    point = point.first();
  }
  point.index.erase(point.index.begin() + axis);
  point.vectorDim -= point.vectorDim > axis;
  ArrayRef<Value> rest = accumulators;
  for (tile::ReduceOp reduce : reduces) {
    SmallVector<Value> values(rest.take_front(reduce.getNumOperands()));
    rest = rest.drop_front(values.size());
    if (point.isScalar()) {
      values = reduceLanes(reduce.getCombiner(), values);
    }
    for (auto [result, value] : llvm::zip(reduce.getResults(), values)) {
      if (isTile(result)) {
        writeBuffer(made.find(result)->second, normalize(result.getType(), point), value);
      } else {
        scalars.map(result, value);
      }
    }
  }
}

void Emitter::emitReduceNest(const Nest &nest, const Shape &shape, llvm::DenseMap<Value, Buffer> &made) {
  int axis = nest.reduceAxis;
  SmallVector<tile::ReduceOp> reduces;
  for (const Sink &sink : nest.sinks) {
    if (auto reduce = dyn_cast_or_null<tile::ReduceOp>(sink.op)) {
      reduces.push_back(reduce);
      for (Value result : reduce.getResults()) {
        if (isTile(result)) {
          made[result] = allocate(result.getType());
        }
      }
    }
  }
  SmallVector<int> outer;
  for (int dim = 0; dim < int(shape.sizes.size()); ++dim) {
    if (dim != axis && dim != shape.vectorDim) {
      outer.push_back(dim);
    }
  }
  if (shape.vectorDim >= 0 && shape.vectorDim != axis) {
    outer.push_back(shape.vectorDim);
  }
  Value end = findPadding(nest, shape);
  Point point{SmallVector<Value>(shape.sizes.size()), shape.vectorDim, shape.width};
  emitLoops(shape, outer, point, [&] {
    PaddedLine line = end ? beginPaddedLine(nest, shape, end, point) : PaddedLine();
    SmallVector<Value> results = emitLine(nest, shape, reduces, line.end, point, made);
    if (end) {
      results = endPaddedLine(nest, shape, line, point, results, made);
    }
    finishReductions(reduces, results, point, axis, made);
  });
}

/// The loop along the axis, up to `end`; null for all of it.
SmallVector<Value> Emitter::emitLine(const Nest &nest, const Shape &shape, ArrayRef<tile::ReduceOp> reduces, Value end,
                                     Point point, const llvm::DenseMap<Value, Buffer> &made) {
  int axis = nest.reduceAxis;
  SmallVector<Value> results;
  emitLoopTo(
      end, shape.sizes[axis], shape.stepAlong(axis), startAccumulators(reduces, shape.width),
      [&](Value index, ValueRange accumulators) {
        point.index[axis] = index;
        // A reduction reads its operands before the stores that follow it overwrite memory that these were loaded from.
        SmallVector<Value> elements;
        for (const Sink &sink : nest.sinks) {
          if (auto reduce = dyn_cast_or_null<tile::ReduceOp>(sink.op)) {
            for (Value operand : reduce.getOperands()) {
              elements.push_back(broadcast(evaluate(operand, point), point.width));
            }
          }
          emitSink(sink, point, made);
        }
        return accumulate(reduces, accumulators, elements, point, axis);
      },
      &results);
  return results;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {

/// emitReduceNest emits the reductions of a nest together.
struct Reduce : EmissionModel<Reduce, tile::ReduceOp> {
  Placement getPlacement(Operation *) const { return Placement::Sink; }
  int getReducedAxis(Operation *op) const { return static_cast<int>(cast<tile::ReduceOp>(op).getAxis()); }
  void emitAt(Operation *, Emitter &, const Point &) const {}
};

/// A buffer of counts, to which one element after the other is added.
struct Histogram : EmissionModel<Histogram, tile::HistogramOp> {
  OperandUse getOperandUse(Operation *, OpOperand &) const { return OperandUse::InMemory; }

  LogicalResult emit(Operation *op, Emitter &e) const {
    auto histogram = cast<tile::HistogramOp>(op);
    Location loc = op->getLoc();
    Buffer src = e.buffers.lookup(histogram.getSrc());
    Buffer counts = e.allocate(histogram.getType());
    e.fillBuffer(histogram.getType(), counts, [&](const Point &) { return e.zero(e.b.getI32Type()); });
    CacheScope scope(e);
    e.emitPointwise(tile::getShape(histogram.getSrc().getType()), -1, 1, [&](const Point &point) {
      Value element = e.readBuffer(src, point);
      Value bins = e.constant(e.b.getIntegerAttr(element.getType(), histogram.getBins()));
      Value isCounted = arith::CmpIOp::create(e.b, loc, arith::CmpIPredicate::ult, element, bins);
      scf::IfOp::create(e.b, loc, isCounted, [&](OpBuilder &, Location) {
        bool isWide = element.getType().isInteger(64);
        Point bin{{isWide ? element : arith::ExtUIOp::create(e.b, loc, e.b.getI64Type(), element).getResult()}, -1, 1};
        Value one = e.constant(e.b.getI32IntegerAttr(1));
        e.writeBuffer(counts, bin, arith::AddIOp::create(e.b, loc, e.readBuffer(counts, bin), one));
        scf::YieldOp::create(e.b, loc);
      });
    });
    e.buffers[histogram.getResult()] = counts;
    return success();
  }
};

} // namespace

void attachReductions(MLIRContext *context) {
  tile::HistogramOp::attachInterface<Histogram>(*context);
  tile::ReduceOp::attachInterface<Reduce>(*context);
}

} // namespace tilewright::cpu
