#include "FlattenCopies.h"

#include "../Buffers.h"
#include "../ExpandPipeline/Speculation.h"
#include "../Iterations.h"
#include "CarriedPositions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewright::tilegpu {

//===----------------------------------------------------------------------===//
// The copies of an iteration
//===----------------------------------------------------------------------===//

/// Collects the acquisition and the copies in the inner loop. Returns false unless there is one slot for an iteration.
static bool collectOps(LoopCopies &copies, const FirstCopies &first) {
  int64_t slots = 0;
  for (Operation &op : *scf::ForOp(first.inner).getBody()) {
    auto acquire = dyn_cast<RingAcquireOp>(op);
    auto copy = dyn_cast<BoxCopyOp>(op);
    if ((acquire && allocationOf(acquire.getSlot()) == first.ring) ||
        (copy && allocationOf(copy.getSlot()) == first.ring)) {
      copies.ops.push_back(&op);
      slots += acquire ? 1 : 0;
    }
  }
  copies.ahead = llvm::count_if(first.ops, llvm::IsaPred<RingAcquireOp>);
  bool isAhead =
      llvm::any_of(first.positions, [&](const CarriedPosition &position) { return position.steps == copies.ahead; });
  return slots == 1 && isa<RingAcquireOp>(copies.ops.front()) && isAhead && copies.ahead < first.slots;
}

/// Adds a value that the copies use. Returns false if it depends on arguments that a loop carries.
static bool addValue(Value value, scf::ForOp outer, scf::ForOp inner, LoopCopies &copies) {
  llvm::SetVector<unsigned> carried;
  if (!addAheadSlice(value, inner, copies.ofIteration, &carried) || !carried.empty()) {
    return false;
  }
  SmallVector<Value> uses = {value};
  for (Operation *op : copies.ofIteration) {
    llvm::append_range(uses, op->getOperands());
  }
  for (Value use : uses) {
    if (use.getParentBlock() == outer.getBody() && use != outer.getInductionVar()) {
      copies.tileValues.insert(use);
    }
  }
  return llvm::all_of(copies.tileValues,
                      [&](Value use) { return addAheadSlice(use, outer, copies.ofTile, &carried) && carried.empty(); });
}

std::optional<LoopCopies> LoopCopies::of(scf::ForOp outer, const FirstCopies &first) {
  LoopCopies copies;
  scf::ForOp inner = first.inner;
  bool isSameForAll = llvm::all_of(ValueRange{inner.getLowerBound(), inner.getUpperBound(), inner.getStep()},
                                   [&](Value bound) { return outer.isDefinedOutsideOfLoop(bound); });
  if (!first.ring || !isSameForAll || !collectOps(copies, first)) {
    return std::nullopt;
  }
  for (Operation *op : copies.ops) {
    auto copy = dyn_cast<BoxCopyOp>(op);
    bool isKnown = !copy || llvm::all_of(copy.getCoordinates(),
                                         [&](Value start) { return addValue(start, outer, inner, copies); });
    if (!isKnown) {
      return std::nullopt;
    }
  }
  return copies;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

namespace {
/// The next copies: those of iteration `index` of the inner loop in iteration `tile` of the outer one.
struct CopyState {
  Value tile, index;
  Value exists;              ///< whether the outer loop has that iteration
  SmallVector<Value> values; ///< `tileValues` for it

  SmallVector<Value> all() const {
    SmallVector<Value> all = {tile, index, exists};
    llvm::append_range(all, values);
    return all;
  }
  static CopyState from(ValueRange all) { return {all[0], all[1], all[2], llvm::to_vector(all.drop_front(3))}; }
};

class Flattening {
public:
  Flattening(scf::ForOp outer, FirstCopies &first, const LoopCopies &copies)
      : rewriter(outer.getContext()), loc(outer.getLoc()), outer(outer), first(first), copies(copies) {}

  void run() {
    rewriter.setInsertionPoint(outer);
    Position begin = {arith::ConstantIntOp::create(rewriter, loc, 0, 32),
                      arith::ConstantIntOp::create(rewriter, loc, 0, 1)};
    SmallVector<Value> inits = emitFirst(begin).all();
    size_t size = inits.size();
    inits.append({begin.slot, begin.phase});
    outer = withArguments(rewriter, outer, inits);
    ValueRange carried = outer.getRegionIterArgs().take_back(inits.size());
    first.inner = withArguments(rewriter, first.inner, carried.take_front(size));
    rewriter.setInsertionPoint(first.inner);
    Positions positions(rewriter, loc, {carried[size], carried[size + 1]}, first.slots);
    beginAt(positions, first);
    emitInLoop(size);
    SmallVector<Value> yields(first.inner.getResults().take_back(size));
    Position end = endOf(first);
    yields.append({end.slot, end.phase});
    yieldLast(outer, yields);
    for (Operation *op : llvm::reverse(first.ops)) {
      rewriter.eraseOp(op);
    }
  }

private:
  /// The copies before the outer loop.
  CopyState emitFirst(Position begin) {
    Value any = hasAny(rewriter, loc, outer);
    Value exists = arith::AndIOp::create(rewriter, loc, any, hasAny(rewriter, loc, first.inner));
    CopyState state = stateOf(outer.getLowerBound(), exists);
    Positions positions(rewriter, loc, begin, first.slots);
    for (int64_t step = 0; step < copies.ahead; ++step) {
      emitCopies(state, positions.after(step));
      state = advance(state);
    }
    return state;
  }

  /// The copies in the inner loop, instead of those for its own iterations.
  void emitInLoop(size_t size) {
    rewriter.setInsertionPoint(copies.ops.front());
    auto slot = cast<RingAcquireOp>(copies.ops.front()).getSlot().getDefiningOp<LocalSlotOp>();
    CopyState state = CopyState::from(first.inner.getRegionIterArgs().take_back(size));
    emitCopies(state, {slot.getIndex(), slot.getPhase()});
    yieldLast(first.inner, advance(state).all());
    for (Operation *op : llvm::reverse(copies.ops)) {
      rewriter.eraseOp(op);
    }
  }

  /// Clones operations in their order.
  void cloneAll(const llvm::SetVector<Operation *> &ops, Value exists, IRMapping &mapping) {
    SmallVector<Operation *> sorted(ops.begin(), ops.end());
    llvm::sort(sorted, [](Operation *left, Operation *right) { return left->isBeforeInBlock(right); });
    for (Operation *op : sorted) {
      executeIf(rewriter, rewriter.clone(*op, mapping), exists);
    }
  }

  /// The first copies of an iteration of the outer loop.
  CopyState stateOf(Value tile, Value exists) {
    IRMapping mapping;
    mapping.map(outer.getInductionVar(), tile);
    cloneAll(copies.ofTile, exists, mapping);
    auto values = llvm::map_to_vector(copies.tileValues, [&](Value value) { return mapping.lookupOrDefault(value); });
    return {tile, first.inner.getLowerBound(), exists, std::move(values)};
  }

  /// The operations compute what is `ahead` iterations after that of the inner loop's index.
  void emitCopies(const CopyState &state, Position position) {
    IRMapping mapping;
    Type type = state.index.getType();
    Value count = arith::ConstantIntOp::create(rewriter, loc, type, copies.ahead);
    Value distance = arith::MulIOp::create(rewriter, loc, first.inner.getStep(), count);
    mapping.map(first.inner.getInductionVar(), arith::SubIOp::create(rewriter, loc, state.index, distance).getResult());
    mapping.map(outer.getInductionVar(), state.tile);
    mapping.map(copies.tileValues.getArrayRef(), state.values);
    cloneAll(copies.ofIteration, state.exists, mapping);
    for (Operation *op : copies.ops) {
      emitCopy(op, state.exists, position, mapping);
    }
  }

  void emitCopy(Operation *op, Value exists, Position position, IRMapping &mapping) {
    for (Value operand : op->getOperands()) {
      if (auto slot = operand.getDefiningOp<LocalSlotOp>(); slot && !mapping.contains(operand)) {
        mapping.map(operand, LocalSlotOp::create(rewriter, slot.getLoc(), slot.getType(), slot.getSrc(), position.slot,
                                                 position.phase)
                                 .getResult());
      }
    }
    Operation *clone = rewriter.clone(*op, mapping);
    if (auto acquire = dyn_cast<RingAcquireOp>(clone)) {
      acquire.getPhaseMutable().assign(position.phase);
      acquire.getExistsMutable().assign(exists);
    } else {
      cast<BoxCopyOp>(clone).getExistsMutable().assign(exists);
    }
  }

  /// The state after these copies.
  CopyState advance(const CopyState &state) {
    Value goesOn = hasNext(rewriter, loc, state.index, first.inner);
    Value next = arith::AddIOp::create(rewriter, loc, state.index, first.inner.getStep());
    SmallVector<Value> same = state.all();
    auto branch = scf::IfOp::create(rewriter, loc, TypeRange(ValueRange(same)), goesOn, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    same[1] = next;
    scf::YieldOp::create(rewriter, loc, same);
    rewriter.setInsertionPointToStart(branch.elseBlock());
    Value left = hasNext(rewriter, loc, state.tile, outer);
    Value exists = arith::AndIOp::create(rewriter, loc, state.exists, left);
    Value tile = arith::AddIOp::create(rewriter, loc, state.tile, outer.getStep());
    scf::YieldOp::create(rewriter, loc, stateOf(tile, exists).all());
    return CopyState::from(branch.getResults());
  }

  IRRewriter rewriter;
  Location loc;
  scf::ForOp outer;
  FirstCopies &first;
  const LoopCopies &copies;
};
} // namespace

void flattenCopies(scf::ForOp outer, FirstCopies &first, const LoopCopies &copies) {
  Flattening(outer, first, copies).run();
}

} // namespace tilewright::tilegpu
