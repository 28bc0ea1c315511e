// Nests that transpose what they load, such as the one that stores the operand of a dot along K:
//
//     load  [64 x 128] contiguous along dimension 0      for j in 0..128 step 4:
//     keep  [64 x 128] in memory, along dimension 1        for i in 0..64 step 4:
//                                                  =         r0 .. r3 = x[i .. i+4, j], ..., x[i .. i+4, j+3]
//                                                            c0 .. c3 = transpose of r0 .. r3
//                                                            kept[i, j .. j+4] = c0, ..., kept[i+3, j .. j+4] = c3
//
// A gather or scatter takes about as long as an access for each element.

#include "Emitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

/// With more operations in a nest, those that are executed for each row of a square take too much code.
static constexpr int64_t kMaxOperations = 8;

/// The dimension along which the sink writes consecutive elements; -1 if there is none.
static int writtenDim(const Sink &sink, const Nest &nest, AxisInfoAnalysis &axis, int64_t side) {
  int last = static_cast<int>(nest.shape.size()) - 1;
  if (!sink.op) {
    return last;
  }
  auto store = dyn_cast<tile::StoreOp>(sink.op);
  if (!store || tile::getShape(store.getPtr().getType()) != ArrayRef(nest.shape)) {
    return -1;
  }
  for (int dim = last; dim >= 0; --dim) {
    if (axis.get(store.getPtr()).getContiguity(dim) >= side) {
      return dim;
    }
  }
  return -1;
}

/// The dimension along which the load reads consecutive elements, if that is not `vectorDim`, and -1 otherwise.
static int otherDim(const AxisInfo &pointers, int rank, int vectorDim, int64_t side) {
  if (pointers.getContiguity(vectorDim) > 1 || pointers.getConstancy(vectorDim) > 1) {
    return -1;
  }
  for (int dim = 0; dim < rank; ++dim) {
    if (dim != vectorDim && pointers.getContiguity(dim) >= side) {
      return dim;
    }
  }
  return -1;
}

std::optional<Emitter::Transposition> Emitter::findTransposition(const Nest &nest) {
  Demands demands = collectDemands(nest);
  int rank = static_cast<int>(nest.shape.size());
  if (nest.reduceAxis >= 0 || rank < 2 || demands.operations > kMaxOperations) {
    return std::nullopt;
  }
  Transposition found;
  found.side = cpu.lanes(std::max<int64_t>(demands.maxBits, 32));
  auto dimOf = [&](const Sink &sink) { return writtenDim(sink, nest, axis, found.side); };
  found.vectorDim = dimOf(nest.sinks.front());
  auto agrees = [&](const Sink &sink) { return dimOf(sink) == found.vectorDim; };
  if (found.vectorDim < 0 || !llvm::all_of(nest.sinks, agrees)) {
    return std::nullopt;
  }
  for (auto [op, pointer] : demands.accesses) {
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load || tile::getShape(pointer.getType()) != ArrayRef(nest.shape) ||
        getElementTypeOrSelf(load.getType()).isInteger(1)) {
      continue;
    }
    int dim = otherDim(axis.get(pointer), rank, found.vectorDim, found.side);
    if (dim >= 0 && (found.loads.empty() || dim == found.loadedDim)) {
      found.loadedDim = dim;
      found.loads.push_back(load);
    }
  }
  bool fits = !found.loads.empty() && nest.shape[found.vectorDim] % found.side == 0 &&
              nest.shape[found.loadedDim] % found.side == 0;
  return fits ? std::optional(found) : std::nullopt;
}

/// The columns of a square matrix, given its rows. The bits of an element's row and lane are a number, which each round
/// rotates by one bit: rows i and i + n/2 become rows 2i and 2i + 1, whose lanes alternate between the two.
static SmallVector<Value> transpose(OpBuilder &b, SmallVector<Value> rows) {
  auto side = static_cast<int64_t>(rows.size());
  SmallVector<int64_t> lanes[2];
  for (int64_t lane = 0; lane < side / 2; ++lane) {
    lanes[0].append({lane, lane + side});
    lanes[1].append({lane + side / 2, lane + side + side / 2});
  }
  for (int64_t round = 1; round < side; round *= 2) {
    SmallVector<Value> next;
    for (int64_t row = 0; row < side; ++row) {
      Value low = rows[row / 2], high = rows[row / 2 + side / 2];
      next.push_back(vector::ShuffleOp::create(b, low.getLoc(), low, high, lanes[row % 2]));
    }
    rows = std::move(next);
  }
  return rows;
}

/// Emits the sinks for a square that begins at `origin`.
void Emitter::emitSquare(const Nest &nest, const Transposition &how, const Point &origin,
                         const llvm::DenseMap<Value, Buffer> &made) {
  Location loc = program.scratch.getLoc();
  auto pointAt = [&](int stepped, int64_t step, int along) {
    Point point{origin.index, along, how.side};
    point.index[stepped] = arith::AddIOp::create(b, loc, origin.index[stepped], i64(step));
    return point;
  };
  SmallVector<Point> rows, columns;
  for (int64_t i = 0; i < how.side; ++i) {
    rows.push_back(pointAt(how.vectorDim, i, how.loadedDim));
    columns.push_back(pointAt(how.loadedDim, i, how.vectorDim));
  }
  for (Value load : how.loads) {
    auto read = [&](const Point &point) { return evaluateVector(load, point); };
    SmallVector<Value> transposed = transpose(b, llvm::map_to_vector(rows, read));
    for (auto [point, value] : llvm::zip_equal(columns, transposed)) {
      cache.push_back(CacheEntry{load, normalize(load.getType(), point), value});
    }
  }
  for (const Point &point : columns) {
    CacheScope scope(*this);
    for (const Sink &sink : nest.sinks) {
      emitSink(sink, point, made);
    }
  }
}

void Emitter::emitTransposed(const Nest &nest, const Transposition &how, const llvm::DenseMap<Value, Buffer> &made) {
  SmallVector<int> order;
  for (int dim = 0; dim < int(nest.shape.size()); ++dim) {
    if (dim != how.vectorDim && dim != how.loadedDim) {
      order.push_back(dim);
    }
  }
  order.append({how.vectorDim, how.loadedDim});
  SmallVector<int64_t> steps(nest.shape.size(), 1);
  steps[how.vectorDim] = steps[how.loadedDim] = how.side;
  Point origin{SmallVector<Value>(nest.shape.size()), -1, 1};
  std::function<void(ArrayRef<int>)> emit = [&](ArrayRef<int> dims) {
    if (dims.empty()) {
      emitSquare(nest, how, origin, made);
      return;
    }
    emitLoop(nest.shape[dims.front()], steps[dims.front()], {}, [&](Value index, ValueRange) {
      origin.index[dims.front()] = index;
      emit(dims.drop_front());
      return SmallVector<Value>();
    });
  };
  emit(order);
}

} // namespace tilewright::cpu
