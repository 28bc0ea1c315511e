#include "tilewright/Analysis/LoopControl.h"
#include "tilewright/Analysis/IntegerDivision.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright {

bool isScalarArithmetic(Operation *op) {
  auto isOther = llvm::IsaPred<ShapedType, FloatType>;
  if (op->getNumRegions() != 0 || llvm::any_of(op->getOperandTypes(), isOther) ||
      llvm::any_of(op->getResultTypes(), isOther)) {
    return false;
  }
  return isMemoryEffectFree(op) && (isIntegerDivision(op) ? isSafeDivision(op) : isSpeculatable(op));
}

LoopControl::LoopControl(scf::WhileOp loop) : loop(loop) {
  addConjuncts(loop.getConditionOp().getCondition());
  visit(loop.getConditionOp().getCondition());
}

/// Adds `condition`, or its parts if it is a conjunction. The front end builds `a and b` also as a branch.
void LoopControl::addConjuncts(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    addConjuncts(both.getLhs());
    addConjuncts(both.getRhs());
    return;
  }
  auto branch = condition.getDefiningOp<scf::IfOp>();
  unsigned index = branch ? cast<OpResult>(condition).getResultNumber() : 0;
  if (branch && loop->isProperAncestor(branch) && matchPattern(branch.elseYield()->getOperand(index), m_Zero())) {
    addConjuncts(branch.getCondition());
    addConjuncts(branch.thenYield()->getOperand(index));
    return;
  }
  if (!addStop(condition) && !matchPattern(condition, m_One())) {
    conjuncts.push_back(condition);
  }
}

/// Whether the condition is that a flag is not set, and no other flag is known.
bool LoopControl::addStop(Value conjunct) {
  auto inverted = conjunct.getDefiningOp<arith::XOrIOp>();
  auto flag = inverted && matchPattern(inverted.getRhs(), m_One()) ? dyn_cast<BlockArgument>(inverted.getLhs())
                                                                   : BlockArgument();
  if (!flag || stop || flag.getOwner() != loop.getBeforeBody() ||
      !matchPattern(loop.getInits()[flag.getArgNumber()], m_Zero())) {
    return false;
  }
  stop = flag.getArgNumber();
  return true;
}

bool LoopControl::isStopFlag(Value value) const { return stop && value == loop.getBeforeArguments()[*stop]; }

Value LoopControl::nextStopFlag() const { return stop ? loop.getYieldedValues()[*stop] : Value(); }

bool LoopControl::isInside(Value value) const { return loop->isAncestor(value.getParentBlock()->getParentOp()); }

Value LoopControl::throughCondition(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isForwarded = argument && argument.getOwner() == loop.getAfterBody();
  return isForwarded ? loop.getConditionOp().getArgs()[argument.getArgNumber()] : value;
}

/// Behind other obstacles on scalars there may be a load, which explains more.
void LoopControl::addOperation(Operation *op, SmallVectorImpl<Value> &todo) {
  auto isTile = llvm::IsaPred<ShapedType>;
  if (op->getNumRegions() == 0 && isMemoryEffectFree(op) && llvm::none_of(op->getOperandTypes(), isTile)) {
    llvm::append_range(todo, op->getOperands());
  }
  if (!isScalarArithmetic(op) && (!found || isa<tile::LoadOp>(op))) {
    found = op;
  }
}

void LoopControl::visit(Value value) {
  SmallVector<Value> todo = {value};
  while (!todo.empty()) {
    Value next = throughCondition(todo.pop_back_val());
    if (!isInside(next) || !seen.insert(next).second) {
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (parent == loop) {
        carried.insert(argument.getArgNumber());
        todo.push_back(loop.getYieldedValues()[argument.getArgNumber()]);
      } else {
        found = parent;
      }
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned index = cast<OpResult>(next).getResultNumber();
      todo.append(
          {branch.elseYield()->getOperand(index), branch.thenYield()->getOperand(index), branch.getCondition()});
    } else {
      addOperation(op, todo);
    }
  }
}

} // namespace tilewright
