#include "OperandPath.h"

#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"

using namespace mlir;

namespace tilewright::tilegpu {

bool isCheapUnary(Operation *op) {
  bool isUnary = op->getNumOperands() == 1 && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
                 isMemoryEffectFree(op) && isa<RankedTensorType>(op->getResult(0).getType());
  return isUnary && (op->hasTrait<OpTrait::Elementwise>() || isa<tile::TransOp, tile::ReshapeOp>(op));
}

bool isForOperandsOnly(Value tile) {
  return !tile.use_empty() && llvm::all_of(tile.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    auto dot = dyn_cast<MmaOp>(user);
    bool isStep = (isRepeatable(user) || isa<ConvertLayoutOp>(user)) && user->getNumResults() == 1;
    return dot ? use.get() != dot.getAcc() : isStep && isForOperandsOnly(user->getResult(0));
  });
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
