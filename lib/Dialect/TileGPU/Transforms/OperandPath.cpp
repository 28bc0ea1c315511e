#include "OperandPath.h"

using namespace mlir;

namespace tilewright::tilegpu {

bool isCheapUnary(Operation *op) {
  bool isUnary = op->getNumOperands() == 1 && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
                 isMemoryEffectFree(op) && isa<RankedTensorType>(op->getResult(0).getType());
  return isUnary && (op->hasTrait<OpTrait::Elementwise>() || isa<tile::TransOp, tile::ReshapeOp>(op));
}

SmallVector<Operation *> pathFromShared(Value operand, Block *block) {
  SmallVector<Operation *> path;
  for (Value value = operand; value.hasOneUse();) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != block) {
      return {};
    }
    path.push_back(op);
    if (isa<LocalLoadOp>(op)) {
      return llvm::to_vector(llvm::reverse(path));
    }
    if (!isCheapUnary(op)) {
      return {};
    }
    value = op->getOperand(0);
  }
  return {};
}

} // namespace tilewright::tilegpu
