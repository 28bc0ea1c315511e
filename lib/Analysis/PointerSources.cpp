#include "tilewright/Analysis/PointerSources.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

/// The possible values of a region argument of a loop; empty if they are unknown.
static SmallVector<Value> incomingOf(BlockArgument arg) {
  Operation *parent = arg.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    OpOperand *init = loop.getTiedLoopInit(arg);
    return init ? SmallVector<Value>{init->get(), loop.getTiedLoopYieldedValue(arg)->get()} : SmallVector<Value>();
  }
  auto loop = dyn_cast<scf::WhileOp>(parent);
  if (!loop) {
    return {};
  }
  unsigned index = arg.getArgNumber();
  if (arg.getOwner() == loop.getBeforeBody()) {
    return {loop.getInits()[index], loop.getYieldedValues()[index]};
  }
  return {loop.getConditionOp().getArgs()[index]};
}

/// The same for the result of an operation.
static SmallVector<Value> incomingOf(OpResult result) {
  Operation *op = result.getOwner();
  unsigned index = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    return {loop.getInitArgs()[index], loop.getYieldedValues()[index]};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    return {loop.getConditionOp().getArgs()[index]};
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    return {branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)};
  }
  bool isCall = isa<tile::CallOp>(op); // returns what it is given, or a pointer that findPointerSources() does not find
  if (op->getNumRegions() != 0 || (!isCall && !isMemoryEffectFree(op))) {
    return {};
  }
  return llvm::filter_to_vector(
      op->getOperands(), [](Value operand) { return isa<tile::PtrType>(tile::getElementType(operand.getType())); });
}

PointerSources tilewright::findPointerSources(Value pointer) {
  PointerSources sources;
  llvm::SetVector<Value> reached;
  reached.insert(pointer);
  for (size_t i = 0; i < reached.size(); ++i) { // the set grows meanwhile
    auto arg = dyn_cast<BlockArgument>(reached[i]);
    if (arg && isa<FunctionOpInterface>(arg.getOwner()->getParentOp())) {
      sources.arguments.insert(arg);
      continue;
    }
    SmallVector<Value> incoming = arg ? incomingOf(arg) : incomingOf(cast<OpResult>(reached[i]));
    sources.isComplete &= !incoming.empty() && !reached[i].getDefiningOp<tile::CallOp>();
    reached.insert_range(incoming);
  }
  return sources;
}
