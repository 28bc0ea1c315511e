#include "RotateCopies.h"

#include "../ExpandPipeline/Speculation.h"
#include "../Iterations.h"
#include "CarriedPositions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewright::tilegpu {

namespace {
/// Rewrites an outer loop.
class Rotation {
public:
  Rotation(scf::ForOp outer, FirstCopies &first)
      : rewriter(outer.getContext()), loc(outer.getLoc()), old(outer), first(first) {}

  void run() {
    rewriter.setInsertionPoint(old);
    Value zero = arith::ConstantIntOp::create(rewriter, loc, 0, 32);
    Value even = arith::ConstantIntOp::create(rewriter, loc, 0, 1);
    IRMapping mapping;
    mapping.map(old.getInductionVar(), old.getLowerBound());
    for (auto [argument, init] : llvm::zip_equal(old.getRegionIterArgs(), old.getInitArgs())) {
      mapping.map(argument, init);
    }
    SmallVector<Value> inits = emitCopies(mapping, hasAny(rewriter, loc, old), {zero, even});
    SmallVector<Value> ahead = nextArguments(old, mapping);
    size_t tokens = inits.size();
    inits.append({zero, even});
    inits.append(ahead);
    scf::ForOp loop = withArguments(rewriter, old, inits);
    ValueRange added = loop.getRegionIterArgs().take_back(inits.size());
    SmallVector<Value> yields = emitNext(loop, added.drop_front(tokens + 2));
    useCarried(loop, added.take_front(tokens), {added[tokens], added[tokens + 1]});
    yieldLast(loop, yields);
    if (tokens > 0) {
      rewriter.setInsertionPointAfter(loop);
      AsyncWaitOp::create(rewriter, loc, TokenType::get(loc.getContext()),
                          loop.getResults().take_back(inits.size()).take_front(tokens), IntegerAttr());
    }
  }

private:
  /// Maps the slots that the operation uses to those from the first position on.
  void mapSlots(Operation *op, Positions &positions, IRMapping &mapping) {
    for (Value operand : op->getOperands()) {
      auto slot = operand.getDefiningOp<LocalSlotOp>();
      auto steps = slot ? first.steps.find(slot) : first.steps.end();
      if (steps == first.steps.end() || mapping.contains(slot)) {
        continue;
      }
      Position at = positions.after(steps->second);
      mapping.map(
          slot.getResult(),
          LocalSlotOp::create(rewriter, slot.getLoc(), slot.getType(), slot.getSrc(), at.slot, at.phase).getResult());
    }
  }

  /// Clones the copies for the iteration to which the mapping maps the loop's arguments; returns the groups' tokens.
  SmallVector<Value> emitCopies(IRMapping &mapping, Value exists, Position position) {
    Positions positions(rewriter, loc, position, first.slots);
    SmallVector<Operation *> ops(first.slice.begin(), first.slice.end());
    llvm::append_range(ops, first.ops);
    llvm::sort(ops, [](Operation *left, Operation *right) { return left->isBeforeInBlock(right); });
    SmallVector<Value> tokens;
    for (Operation *op : ops) {
      mapSlots(op, positions, mapping);
      Operation *clone = rewriter.clone(*op, mapping);
      executeIf(rewriter, clone, exists);
      if (auto commit = dyn_cast<AsyncCommitOp>(clone)) {
        tokens.push_back(commit.getToken());
      } else if (auto acquire = dyn_cast<RingAcquireOp>(clone)) {
        acquire.getPhaseMutable().assign(acquire.getSlot().getDefiningOp<LocalSlotOp>().getPhase());
      }
    }
    return tokens;
  }

  /// What an iteration yields for the arguments from which addresses are computed.
  SmallVector<Value> nextArguments(scf::ForOp loop, IRMapping &mapping) {
    SmallVector<Value> values;
    for (unsigned number : first.arguments) {
      values.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[number]));
    }
    return values;
  }

  /// Emits the next iteration's copies after the inner loop. Returns what this iteration yields: the tokens, the
  /// position, and the arguments of the iteration after the next.
  SmallVector<Value> emitNext(scf::ForOp loop, ValueRange ahead) {
    rewriter.setInsertionPointAfter(first.end ? first.end.getOperation() : first.inner.getOperation());
    Value index = loop.getInductionVar();
    Value exists = hasNext(rewriter, loc, index, loop);
    IRMapping mapping;
    mapping.map(index, arith::AddIOp::create(rewriter, loc, index, loop.getStep()).getResult());
    for (auto [number, value] : llvm::zip_equal(first.arguments, ahead)) {
      mapping.map(loop.getRegionIterArg(number), value);
    }
    Position position = endOf(first);
    SmallVector<Value> yields = emitCopies(mapping, exists, position);
    yields.append({position.slot, position.phase});
    yields.append(nextArguments(loop, mapping));
    return yields;
  }

  /// Lets the inner loop begin at the carried position, with the carried tokens.
  void useCarried(scf::ForOp loop, ValueRange tokens, Position position) {
    rewriter.setInsertionPointToStart(loop.getBody());
    Positions positions(rewriter, loc, position, first.slots);
    for (auto [slot, steps] : first.steps) {
      Position at = positions.after(steps);
      cast<LocalSlotOp>(slot).getIndexMutable().assign(at.slot);
      cast<LocalSlotOp>(slot).getPhaseMutable().assign(at.phase);
    }
    beginAt(positions, first);
    for (Operation *op : llvm::reverse(first.ops)) {
      if (auto commit = dyn_cast<AsyncCommitOp>(op)) {
        rewriter.replaceAllUsesWith(commit.getToken(), tokens.back());
        tokens = tokens.drop_back();
      }
      rewriter.eraseOp(op);
    }
  }

  IRRewriter rewriter;
  Location loc;
  scf::ForOp old;
  FirstCopies &first;
};
} // namespace

void rotateCopies(scf::ForOp outer, FirstCopies &first) { Rotation(outer, first).run(); }

} // namespace tilewright::tilegpu
