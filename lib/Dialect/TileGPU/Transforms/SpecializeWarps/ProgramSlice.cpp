#include "ProgramSlice.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tilewright::tilegpu {

//===----------------------------------------------------------------------===//
// What a slice needs
//===----------------------------------------------------------------------===//

void ProgramSlice::add(Operation *op) {
  insert(op);
  while (!pending.empty()) {
    visit(pending.pop_back_val());
  }
}

void ProgramSlice::insert(Operation *op) {
  if (isShared(op) || !block.findAncestorOpInBlock(*op) || !operations.insert(op)) {
    return;
  }
  if (op->getBlock() != &block) {
    insert(op->getParentOp());
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    pending.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    return;
  }
  llvm::append_range(pending, op->getOperands());
  if (isWhole(op)) {
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(pending, captured);
  }
}

void ProgramSlice::visit(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (loop && argument != loop.getInductionVar()) {
      visitResult(loop.getTiedLoopResult(argument));
    } else if (argument.getOwner() != &block) {
      insert(parent);
    }
    return;
  }
  visitResult(cast<OpResult>(value));
}

void ProgramSlice::visitResult(OpResult result) {
  Operation *op = result.getOwner();
  insert(op);
  if (!isa<scf::ForOp, scf::IfOp>(op) || isShared(op) || !results.insert(result).second) {
    return;
  }
  unsigned number = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    pending.push_back(loop.getInitArgs()[number]);
  }
  for (Region &region : op->getRegions()) {
    pending.push_back(region.front().getTerminator()->getOperand(number));
  }
}

//===----------------------------------------------------------------------===//
// Copies of a slice
//===----------------------------------------------------------------------===//

namespace {
class Cloner {
public:
  using Copied = llvm::function_ref<void(Operation *, Operation *)>;

  Cloner(OpBuilder &builder, const SetVector<Operation *> &operations, const DenseSet<Value> &results, Copied copied)
      : builder(builder), operations(operations), results(results), copied(copied) {}

  void clone(Block &block) {
    for (Operation &op : block) {
      if (operations.contains(&op)) {
        copied(&op, clone(&op));
      }
    }
  }

private:
  Operation *clone(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      return clone(loop);
    }
    auto branch = dyn_cast<scf::IfOp>(op);
    return branch ? clone(branch) : builder.clone(*op, copies);
  }

  SmallVector<Value> neededOf(ResultRange all, ValueRange values) const {
    SmallVector<Value> needed;
    for (auto [result, value] : llvm::zip_equal(all, values)) {
      if (results.contains(result)) {
        needed.push_back(copies.lookupOrDefault(value));
      }
    }
    return needed;
  }

  void mapResults(Operation *from, Operation *to) {
    unsigned next = 0;
    for (OpResult result : from->getResults()) {
      if (results.contains(result)) {
        copies.map(result, to->getResult(next++));
      }
    }
  }

  Operation *clone(scf::ForOp loop) {
    auto copy = scf::ForOp::create(builder, loop.getLoc(), copies.lookupOrDefault(loop.getLowerBound()),
                                   copies.lookupOrDefault(loop.getUpperBound()), copies.lookupOrDefault(loop.getStep()),
                                   neededOf(loop.getResults(), loop.getInitArgs()),
                                   /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
    copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    copies.map(loop.getInductionVar(), copy.getInductionVar());
    unsigned next = 0;
    for (auto [result, argument] : llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs())) {
      if (results.contains(result)) {
        copies.map(argument, copy.getRegionIterArg(next++));
      }
    }
    cloneInto(copy.getBody(), *loop.getBody(), loop.getResults());
    mapResults(loop, copy);
    return copy;
  }

  Operation *clone(scf::IfOp branch) {
    SmallVector<Value> needed;
    llvm::copy_if(branch.getResults(), std::back_inserter(needed),
                  [&](Value result) { return results.contains(result); });
    bool hasElse = !branch.getElseRegion().empty();
    auto copy = scf::IfOp::create(builder, branch.getLoc(), TypeRange(ValueRange(needed)),
                                  copies.lookupOrDefault(branch.getCondition()), /*addThenBlock=*/true, hasElse);
    copy->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
    cloneInto(copy.thenBlock(), *branch.thenBlock(), branch.getResults());
    if (hasElse) {
      cloneInto(copy.elseBlock(), *branch.elseBlock(), branch.getResults());
    }
    mapResults(branch, copy);
    return copy;
  }

  /// Fills the block of a loop or branch, which may have a terminator already.
  void cloneInto(Block *to, Block &from, ResultRange all) {
    OpBuilder::InsertionGuard guard(builder);
    to->clear();
    builder.setInsertionPointToEnd(to);
    clone(from);
    Operation *yield = from.getTerminator();
    scf::YieldOp::create(builder, yield->getLoc(), neededOf(all, yield->getOperands()));
  }

  OpBuilder &builder;
  const SetVector<Operation *> &operations;
  const DenseSet<Value> &results;
  Copied copied;
  IRMapping copies;
};
} // namespace

void ProgramSlice::cloneTo(OpBuilder &builder, llvm::function_ref<void(Operation *, Operation *)> copied) const {
  Cloner(builder, operations, results, copied).clone(block);
}

} // namespace tilewright::tilegpu
