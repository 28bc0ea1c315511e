// Emits the loops of a nest and chooses their steps.

#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright::cpu {

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Value Emitter::emitLoop(int64_t size, int64_t step, ValueRange init,
                        llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body,
                        SmallVectorImpl<Value> *results) {
  return emitLoopTo({}, size, step, init, body, results);
}

Value Emitter::emitLoopTo(Value extent, int64_t size, int64_t step, ValueRange init,
                          llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body,
                          SmallVectorImpl<Value> *results) {
  if (size <= step) {
    SmallVector<Value> yielded = body(i64(0), init);
    if (results) {
      results->assign(yielded);
    }
    return {};
  }
  auto loop = scf::ForOp::create(b, program.scratch.getLoc(), i64(0), extent ? extent : i64(size), i64(step), init);
  OpBuilder::InsertionGuard guard(b);
  CacheScope scope(*this);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> yielded = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty()) {
    scf::YieldOp::create(b, loop.getLoc(), yielded);
  }
  if (results) {
    results->assign(loop.getResults().begin(), loop.getResults().end());
  }
  return loop.getInductionVar();
}

void Emitter::emitLoops(const Shape &shape, ArrayRef<int> dims, Point &point, llvm::function_ref<void()> body) {
  if (dims.empty()) {
    body();
    return;
  }
  int dim = dims.front();
  Value extent = shape.extents.empty() ? Value() : shape.extents[dim];
  emitLoopTo(extent, shape.sizes[dim], shape.stepAlong(dim), {}, [&](Value index, ValueRange) {
    point.index[dim] = index;
    emitLoops(shape, dims.drop_front(), point, body);
    return SmallVector<Value>();
  });
}

/// The dimensions from the outermost loop to the innermost.
static SmallVector<int> loopOrder(size_t rank, int vectorDim) {
  SmallVector<int> dims;
  for (int dim = 0; dim < int(rank); ++dim) {
    if (dim != vectorDim) {
      dims.push_back(dim);
    }
  }
  if (vectorDim >= 0) {
    dims.push_back(vectorDim);
  }
  return dims;
}

void Emitter::emitPointwise(ArrayRef<int64_t> sizes, int vectorDim, int64_t width, Body body, ArrayRef<Value> extents) {
  Shape shape{SmallVector<int64_t>(sizes), vectorDim, width, SmallVector<Value>(extents)};
  Point point{SmallVector<Value>(sizes.size()), vectorDim, width};
  emitLoops(shape, loopOrder(sizes.size(), vectorDim), point, [&] { body(point); });
}

//===----------------------------------------------------------------------===//
// The vector dimension and its step
//===----------------------------------------------------------------------===//

void Emitter::collectDemands(Value tile, llvm::SmallPtrSetImpl<void *> &seen, Demands &demands) const {
  if (!isTile(tile) || !seen.insert(tile.getAsOpaquePointer()).second) {
    return;
  }
  if (rematerialization.isCheap(tile)) {
    for (Value operand : tile.getDefiningOp()->getOperands()) {
      collectDemands(operand, seen, demands);
    }
    return;
  }
  Type element = getElementTypeOrSelf(tile.getType());
  demands.maxBits = std::max(demands.maxBits, getBitWidth(element));
  Operation *op = tile.getDefiningOp();
  if (buffers.contains(tile) || !op) {
    return;
  }
  ++demands.operations;
  if (auto access = dyn_cast<tile::MemoryAccessOpInterface>(op)) {
    demands.accesses.emplace_back(op, access.getPtr());
  }
  for (Value operand : op->getOperands()) {
    collectDemands(operand, seen, demands);
  }
}

Emitter::Demands Emitter::collectDemands(const Nest &nest) const {
  Demands demands;
  llvm::SmallPtrSet<void *, 16> seen;
  for (const Sink &sink : nest.sinks) {
    for (Value tile : getTileOperands(sink)) {
      Type element = getElementTypeOrSelf(tile.getType());
      // Often only the first address of a vector is computed, so pointers do not limit the width.
      if (!sink.op || !isa<tile::PtrType>(element)) {
        demands.maxBits = std::max(demands.maxBits, getBitWidth(element));
      }
      collectDemands(tile, seen, demands);
    }
    if (auto access = dyn_cast_or_null<tile::MemoryAccessOpInterface>(sink.op)) {
      demands.accesses.emplace_back(sink.op, access.getPtr());
    }
  }
  return demands;
}

Emitter::Shape Emitter::chooseSteps(const Nest &nest) {
  Demands demands = collectDemands(nest);
  // Vectorize along the dimension in which most accesses are consecutive,
  SmallVector<int64_t> votes(nest.shape.size());
  for (auto [op, pointer] : demands.accesses) {
    if (tile::getShape(pointer.getType()) == ArrayRef(nest.shape)) {
      for (size_t dim = 0; dim < votes.size(); ++dim) {
        votes[dim] += axis.get(pointer).getContiguity(dim) > 1 ? 2 : 0;
      }
    }
  }
  // or else along the last dimension with more than one element.
  for (int dim = static_cast<int>(votes.size()) - 1; dim >= 0; --dim) {
    if (nest.shape[dim] > 1) {
      ++votes[dim];
      break;
    }
  }
  if (votes.empty()) {
    return Shape{{}, -1, 1};
  }
  int vectorDim = static_cast<int>(std::max_element(votes.begin(), votes.end()) - votes.begin());

  // Several registers per step hide latencies as long as the values fit into registers.
  int64_t lanes = cpu.lanes(std::max<int64_t>(demands.maxBits, 8));
  int64_t registers = demands.operations <= 12 ? 4 : demands.operations <= 24 ? 2 : 1;
  int64_t width = std::min(nest.shape[vectorDim], lanes * registers);
  for (auto [op, pointer] : demands.accesses) {
    ArrayRef<int64_t> shape = tile::getShape(pointer.getType());
    size_t dim = vectorDim - (nest.shape.size() - shape.size());
    if (dim < shape.size() && shape[dim] == nest.shape[vectorDim]) {
      int64_t run = std::max(axis.get(pointer).getContiguity(dim), axis.get(pointer).getConstancy(dim));
      width = std::min(width, std::max(run, std::min(lanes, width)));
    }
  }
  return width == 1 ? Shape{nest.shape, -1, 1} : Shape{nest.shape, vectorDim, width};
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

/// A buffer that the tile may overwrite element by element while it is computed: that of an operand without other uses.
std::optional<Buffer> Emitter::findReusable(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op || !op->hasTrait<OpTrait::Elementwise>() || rematerialization.isCheap(tile)) {
    return std::nullopt;
  }
  for (Value operand : op->getOperands()) {
    if (!isTile(operand) ||
        memoryType(getElementTypeOrSelf(operand.getType())) != memoryType(getElementTypeOrSelf(tile.getType()))) {
      continue;
    }
    std::optional<Buffer> buffer = takeOver(operand, op);
    if (!buffer && !buffers.contains(operand) && operand.hasOneUse() && operand.getParentBlock() == op->getBlock()) {
      buffer = findReusable(operand);
    }
    if (buffer) {
      return buffer;
    }
  }
  return std::nullopt;
}

/// Whether a sink evaluates `tile` at another point than the one that the nest is at, as through a transpose. It then
/// reads the operands of `tile` after the nest has computed other elements of `tile`, so they must not be overwritten.
bool Emitter::isReadElsewhere(const Nest &nest, Value tile) const {
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  std::function<bool(Value, bool)> reads = [&](Value value, bool isElsewhere) {
    if (value == tile) {
      return isElsewhere;
    }
    Operation *op = value.getDefiningOp();
    bool isComputed = isTile(value) && op && isLazy(op) && !buffers.contains(value);
    if (!isComputed || !seen.insert({value, unsigned(isElsewhere)}).second) {
      return false;
    }
    bool keepsPoint = op->hasTrait<OpTrait::Elementwise>();
    return llvm::any_of(op->getOperands(), [&](Value operand) { return reads(operand, isElsewhere || !keepsPoint); });
  };
  return llvm::any_of(nest.sinks, [&](const Sink &sink) {
    return llvm::any_of(getTileOperands(sink), [&](Value operand) { return reads(operand, false); });
  });
}

void Emitter::emitNest(const Nest &planned) {
  Nest nest;
  nest.shape = planned.shape;
  nest.reduceAxis = planned.reduceAxis;
  llvm::copy_if(planned.sinks, std::back_inserter(nest.sinks),
                [&](const Sink &sink) { return sink.op || !buffers.contains(sink.value); });
  if (nest.sinks.empty()) {
    return;
  }
  CacheScope scope(*this);
  Shape shape = chooseSteps(nest);
  llvm::DenseMap<Value, Buffer> made;
  for (const Sink &sink : nest.sinks) {
    if (!sink.op) {
      std::optional<Buffer> reusable = findReusable(sink.value);
      bool canReuse = reusable && !isReadElsewhere(nest, sink.value);
      made[sink.value] = canReuse ? *reusable : allocateKept(sink.value);
    }
  }
  if (nest.reduceAxis >= 0) {
    emitReduceNest(nest, shape, made);
  } else if (auto transposition = findTransposition(nest)) {
    emitTransposed(nest, *transposition, made);
  } else {
    auto emitSinks = [&](const Point &point) {
      for (const Sink &sink : nest.sinks) {
        emitSink(sink, point, made);
      }
    };
    emitPointwise(shape.sizes, shape.vectorDim, shape.width, emitSinks, extentsOfStores(nest));
  }
  // The tiles are complete only now; inside the nest they are read from registers.
  for (auto &[tile, buffer] : made) {
    buffers[tile] = buffer;
  }
}

void Emitter::emitSink(const Sink &sink, const Point &point, const llvm::DenseMap<Value, Buffer> &made) {
  if (!sink.op) {
    Value value = evaluate(sink.value, point);
    writeBuffer(made.find(sink.value)->second, normalize(sink.value.getType(), point), value);
  } else {
    cast<EmissionOpInterface>(sink.op).emitAt(*this, point);
  }
}

} // namespace tilewright::cpu
