#include "tilewright/Conversion/TileToVector/Plan.h"

#include "tilewright/Conversion/TileToVector/Emission.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilewright::cpu {

namespace {

/// Collects the steps of one block in program order.
class Planner {
public:
  Planner(Block &block, const MemoryOrder &memory, const RematerializationCost &rematerialization)
      : block(block), memory(memory), rematerialization(rematerialization) {}

  Plan run() {
    findLastUses();
    for (Operation &op : block) {
      visit(&op);
    }
    closeNest();
    for (size_t i = 0; i < plan.size(); ++i) { // the plan grows meanwhile
      keepWhatIsNeededLater(i);
    }
    return std::move(plan);
  }

private:
  //===--- Dependences of tiles -------------------------------------------===//

  bool isCheap(Value tile) const { return rematerialization.isCheap(tile); }

  bool isLazyHere(Value tile) const {
    Operation *op = tile.getDefiningOp();
    return op && op->getBlock() == &block && isLazy(op);
  }

  /// A lazy value of this block that is not in memory yet.
  bool isPending(Value tile) const { return isLazyHere(tile) && !isCheap(tile) && !inMemory.contains(tile); }

  /// Calls `fn` for each lazy value needed to compute `tile` at a point, except for those in `available`; `fn` returns
  /// false to skip the operands of a value. Looks through cheap values.
  void walkLazy(Value tile, const llvm::DenseSet<Value> &available, llvm::SmallPtrSetImpl<void *> &seen,
                llvm::function_ref<bool(Value)> fn) const {
    if (!isTile(tile) || !isLazyHere(tile) || !seen.insert(tile.getAsOpaquePointer()).second) {
      return;
    }
    if (!isCheap(tile) && (available.contains(tile) || !fn(tile))) {
      return;
    }
    for (Value operand : operandsAtPoint(tile.getDefiningOp())) {
      walkLazy(operand, available, seen, fn);
    }
  }

  void walkPending(Value tile, llvm::SmallPtrSetImpl<void *> &seen, llvm::function_ref<bool(Value)> fn) const {
    walkLazy(tile, inMemory, seen, fn);
  }

  /// Operands that are read from memory are not among them: they are kept beforehand.
  static SmallVector<Value> operandsAtPoint(Operation *op) {
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands()) {
      if (getOperandUse(operand) != OperandUse::InMemory) {
        operands.push_back(operand.get());
      }
    }
    return operands;
  }

  static SmallVector<Value> operandsInMemory(Operation *op) {
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands()) {
      if (isTile(operand.get()) && getOperandUse(operand) == OperandUse::InMemory) {
        operands.push_back(operand.get());
      }
    }
    return operands;
  }

  void walkSink(const Sink &sink, llvm::function_ref<bool(Value)> fn) const {
    llvm::SmallPtrSet<void *, 16> seen;
    for (Value tile : getTileOperands(sink)) {
      walkPending(tile, seen, fn);
    }
  }

  /// The tiles of this block that `op` or operations nested in it use.
  SmallVector<Value> capturedTiles(Operation *op) const {
    llvm::SetVector<Value> captured;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        if (isTile(operand) && operand.getParentBlock() == &block) {
          captured.insert(operand);
        }
      }
    });
    return captured.takeVector();
  }

  /// Whether the operation reads the tile as a whole rather than evaluating it at points.
  static bool readsWhole(Operation *op, Value tile) {
    return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
      return operand.get() == tile && getOperandUse(operand) != OperandUse::AtPoints;
    });
  }

  /// The tiles that have to be in memory for a materialized operation.
  SmallVector<Value> requiredTiles(Operation *op) const {
    llvm::SetVector<Value> tiles;
    llvm::SmallPtrSet<void *, 16> seen;
    for (Value tile : capturedTiles(op)) {
      // Cheap tiles are recomputed from what is in memory, except where the operation reads memory itself.
      if (readsWhole(op, tile) || !isCheap(tile)) {
        tiles.insert(tile);
        continue;
      }
      walkPending(tile, seen, [&](Value leaf) {
        tiles.insert(leaf);
        return false;
      });
    }
    for (Value operand : operandsInMemory(op)) {
      // Cheap tiles of an outer block are not in memory yet.
      if (operand.getParentBlock() != &block && isCheap(operand)) {
        tiles.insert(operand);
      }
    }
    return tiles.takeVector();
  }

  //===--- Memory order ---------------------------------------------------===//

  /// For each pending load, finds the last operation of the block that needs it.
  void findLastUses() {
    for (Operation &op : block) {
      // A tile that a lazy operation reads from memory is kept at the position of the operation.
      if (isLazy(&op) && operandsInMemory(&op).empty()) {
        continue;
      }
      llvm::SmallPtrSet<void *, 16> seen;
      for (Value tile : capturedTiles(&op)) {
        walkPending(tile, seen, [&](Value value) {
          if (isa<tile::MemoryAccessOpInterface>(value.getDefiningOp())) {
            lastUse[value] = &op;
          }
          return true;
        });
      }
    }
  }

  /// Keeps conflicting loads that precede `writer` and whose values are needed later: they must execute before it.
  void keepLoadsBefore(Operation *writer) {
    for (Operation &op : llvm::make_range(block.begin(), writer->getIterator())) {
      if (!isa<tile::MemoryAccessOpInterface>(op) || op.getNumResults() == 0) {
        continue;
      }
      Value loaded = op.getResult(0);
      if (!isPending(loaded) || !memory.conflict(&op, writer)) {
        continue;
      }
      auto last = lastUse.find(loaded);
      if (last == lastUse.end() || last->second->isBeforeInBlock(writer)) {
        continue;
      }
      if (getPlacement(writer) == Placement::Sink && last->second == writer && memory.mayShareNest(&op, writer)) {
        continue;
      }
      keep(loaded);
    }
  }

  //===--- Filling nests --------------------------------------------------===//

  void closeNest() {
    if (!open) {
      return;
    }
    for (const Sink &sink : open->sinks) {
      if (!sink.op) {
        inMemory.insert(sink.value);
      }
    }
    plan.push_back(Step{nullptr, std::move(open)});
  }

  bool isResultOfOpenNest(Value value) const {
    return open && llvm::any_of(open->sinks, [&](const Sink &sink) {
             return (sink.op && sink.op == value.getDefiningOp()) || (!sink.op && sink.value == value);
           });
  }

  /// Whether the sink depends on a result that the open nest only has at its end.
  bool readsOpenNest(const Sink &sink) const {
    llvm::SmallPtrSet<void *, 16> seen;
    std::function<bool(Value)> reads = [&](Value value) {
      Operation *op = value.getDefiningOp();
      bool lazy = op && op->getBlock() == &block && isLazy(op);
      if (isResultOfOpenNest(value) && !(lazy && isCheap(value))) {
        // A tile kept by the nest is available in registers, like all lazy ones.
        return !lazy;
      }
      if (!lazy || inMemory.contains(value) || !seen.insert(value.getAsOpaquePointer()).second) {
        return false;
      }
      // A tile that is read from memory has to be complete.
      if (llvm::any_of(operandsInMemory(op), [&](Value operand) { return isResultOfOpenNest(operand); })) {
        return true;
      }
      return llvm::any_of(op->getOperands(), reads);
    };
    return llvm::any_of(getTileOperands(sink), reads);
  }

  /// Whether the memory operations of the sink may be interleaved point by point with those of the open nest.
  bool respectsMemoryOrder(const Sink &sink) const {
    SmallVector<Operation *> mine, writers;
    if (sink.op && MemoryOrder::writes(sink.op)) {
      mine.push_back(sink.op);
    }
    walkSink(sink, [&](Value value) {
      if (isa<tile::MemoryAccessOpInterface>(value.getDefiningOp())) {
        mine.push_back(value.getDefiningOp());
      }
      return true;
    });
    auto clash = [&](Operation *a, Operation *b) { return memory.conflict(a, b) && !memory.mayShareNest(a, b); };
    for (const Sink &other : open->sinks) {
      if (other.op && MemoryOrder::writes(other.op) &&
          llvm::any_of(mine, [&](Operation *op) { return clash(op, other.op); })) {
        return false;
      }
      bool fine = true;
      walkSink(other, [&](Value value) {
        Operation *load = value.getDefiningOp();
        fine &= !(isa<tile::MemoryAccessOpInterface>(load) && sink.op && MemoryOrder::writes(sink.op) &&
                  clash(load, sink.op));
        return true;
      });
      if (!fine) {
        return false;
      }
    }
    return true;
  }

  void add(const Sink &sink, ArrayRef<int64_t> shape, int reduceAxis) {
    bool fits = open && ArrayRef<int64_t>(open->shape) == shape &&
                (open->reduceAxis < 0 || reduceAxis < 0 || open->reduceAxis == reduceAxis) && !readsOpenNest(sink) &&
                respectsMemoryOrder(sink);
    if (!fits) {
      closeNest();
      open = std::make_unique<Nest>();
      open->shape.assign(shape.begin(), shape.end());
    }
    if (reduceAxis >= 0) {
      open->reduceAxis = reduceAxis;
    }
    open->sinks.push_back(sink);
  }

  /// Ensures that `tile` is in memory after the open nest.
  void keep(Value tile) {
    if (inMemory.contains(tile) || isResultOfOpenNest(tile)) {
      return;
    }
    Operation *op = tile.getDefiningOp();
    if (op && isLazy(op) && op->getBlock() == &block) {
      add(Sink{nullptr, tile}, tile::getShape(tile.getType()), -1);
      return;
    }
    if (op && isCheap(tile)) {
      // A cheap tile of an outer block that is read directly.
      add(Sink{nullptr, tile}, tile::getShape(tile.getType()), -1);
    }
  }

  void visit(Operation *op) {
    switch (getPlacement(op)) {
    case Placement::Free:
    case Placement::Lazy:
      llvm::for_each(operandsInMemory(op), [&](Value tile) { keep(tile); });
      return;
    case Placement::Sink:
      if (MemoryOrder::writes(op)) {
        keepLoadsBefore(op);
      }
      add(Sink{op, {}}, tile::getShape(op->getOperand(0).getType()), cast<EmissionOpInterface>(op).getReducedAxis());
      return;
    case Placement::Materialized:
      visitMaterialized(op);
    }
  }

  void visitMaterialized(Operation *op) {
    if (MemoryOrder::writes(op)) {
      keepLoadsBefore(op);
    }
    for (Value tile : requiredTiles(op)) {
      keep(tile);
    }
    bool readsNest = open && op->walk([&](Operation *inner) {
                                 return llvm::any_of(inner->getOperands(),
                                                     [&](Value operand) { return isResultOfOpenNest(operand); })
                                            ? WalkResult::interrupt()
                                            : WalkResult::advance();
                               }).wasInterrupted();
    // A scalar computation moves before the open nest; everything else is placed after it.
    bool isScalar = op->getNumRegions() == 0 && !MemoryOrder::touches(op) &&
                    llvm::none_of(op->getOperands(), [](Value v) { return isTile(v); }) &&
                    !op->hasTrait<OpTrait::IsTerminator>();
    if (readsNest || !isScalar) {
      closeNest();
    }
    plan.push_back(Step{op, nullptr});
  }

  //===--- Keeping tiles --------------------------------------------------===//

  /// Makes nest `i` keep the values it computes that a later nest would recompute. A value with another shape than the
  /// nest is computed by a separate nest inserted before it, which is nest `i` then.
  void keepWhatIsNeededLater(size_t i) {
    if (!plan[i].nest) {
      return;
    }
    llvm::SetVector<Value> computed = computedIn(*plan[i].nest);
    llvm::SetVector<Value> kept = neededAfter(i, computed);
    auto sameShape = [&](Value value) { return tile::getShape(value.getType()) == ArrayRef(plan[i].nest->shape); };
    for (Value value : computed) {
      if (!sameShape(value) && isWorthItsOwnNest(value, plan[i].nest->shape)) {
        kept.insert(value);
      }
    }
    const auto *other = llvm::find_if_not(kept, sameShape);
    if (other != kept.end()) {
      auto nest = std::make_unique<Nest>();
      llvm::append_range(nest->shape, tile::getShape((*other).getType()));
      nest->sinks.push_back(Sink{nullptr, *other});
      plan.insert(plan.begin() + i, Step{nullptr, std::move(nest)});
      keepWhatIsNeededLater(i);
      return;
    }
    for (Value value : kept) {
      insertBeforeFirstUse(*plan[i].nest, value);
    }
    for (const Sink &sink : plan[i].nest->sinks) {
      if (!sink.op) {
        done.insert(sink.value);
      }
    }
  }

  llvm::SetVector<Value> computedIn(const Nest &nest) {
    llvm::SetVector<Value> computed;
    for (const Sink &sink : nest.sinks) {
      walkKept(sink, [&](Value value) {
        computed.insert(value);
        return true;
      });
    }
    return computed;
  }

  /// Those values in `computed`, by nest `i`, that sinks of later nests need.
  llvm::SetVector<Value> neededAfter(size_t i, const llvm::SetVector<Value> &computed) {
    llvm::SetVector<Value> needed;
    for (const Step &step : llvm::drop_begin(plan, i + 1)) {
      for (const Sink &sink : step.nest ? ArrayRef<Sink>(step.nest->sinks) : ArrayRef<Sink>()) {
        walkKept(sink, [&](Value value) {
          bool stop = computed.contains(value);
          if (stop) {
            needed.insert(value);
          }
          return !stop;
        });
      }
    }
    return needed;
  }

  /// An expensive function of few elements should not be evaluated for each element of a large nest.
  static bool isWorthItsOwnNest(Value value, ArrayRef<int64_t> nestShape) {
    Operation *op = value.getDefiningOp();
    bool expensive = isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) ||
                     (isa_and_nonnull<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp>(op));
    return expensive &&
           cast<RankedTensorType>(value.getType()).getNumElements() < ShapedType::getNumElements(nestShape);
  }

  void insertBeforeFirstUse(Nest &nest, Value value) {
    auto *use = llvm::find_if(nest.sinks, [&](const Sink &sink) {
      bool reaches = false;
      walkKept(sink, [&](Value reached) { return !(reaches |= reached == value); });
      return reaches;
    });
    auto keeps = [&](const Sink &sink) { return !sink.op && sink.value == value; };
    if (use == nest.sinks.end() || !keeps(*use)) {
      llvm::erase_if(nest.sinks, keeps); // after the use, as the use is the first
      nest.sinks.insert(use, Sink{nullptr, value});
    }
  }

  /// Like walkSink, but stops at values kept by earlier nests.
  void walkKept(const Sink &sink, llvm::function_ref<bool(Value)> fn) {
    llvm::SmallPtrSet<void *, 16> seen;
    for (Value tile : getTileOperands(sink)) {
      walkLazy(tile, done, seen, fn);
    }
  }

  Block &block;
  const MemoryOrder &memory;
  const RematerializationCost &rematerialization;
  Plan plan;
  std::unique_ptr<Nest> open;
  llvm::DenseMap<Value, Operation *> lastUse;
  llvm::DenseSet<Value> inMemory; ///< kept by a closed nest
  llvm::DenseSet<Value> done;     ///< the same for the second walk, in keepWhatIsNeededLater
};

} // namespace

Plan planBlock(Block &block, const MemoryOrder &memory, const RematerializationCost &rematerialization) {
  return Planner(block, memory, rematerialization).run();
}

void printPlan(const Plan &plan, raw_ostream &os) {
  for (const Step &step : plan) {
    if (step.op) {
      os << "materialized " << step.op->getName() << "\n";
      continue;
    }
    os << "nest [";
    llvm::interleave(step.nest->shape, os, "x");
    os << "]";
    if (step.nest->reduceAxis >= 0) {
      os << " reduce " << step.nest->reduceAxis;
    }
    os << "\n";
    for (const Sink &sink : step.nest->sinks) {
      if (sink.op) {
        os << "  " << sink.op->getName() << "\n";
      } else {
        os << "  keep " << sink.value.getDefiningOp()->getName() << "\n";
      }
    }
  }
}

} // namespace tilewright::cpu
