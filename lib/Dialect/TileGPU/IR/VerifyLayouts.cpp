// Whether all tiles lie on the module's threads, and operations find their operands where they need them.

#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

static LogicalResult verifyThreads(Operation *op, Type type, int warps) {
  if (!isa<RankedTensorType>(type)) {
    return success();
  }
  LayoutAttr attr = getLayout(type);
  if (!attr || attr.isShared()) {
    return op->emitError() << "a tile without a layout in registers: " << type;
  }
  const LinearLayout &map = attr.getMap();
  if (map.inSize(layout::kLane) != hardware::kLanesPerWarp || map.inSize(layout::kWarp) != warps ||
      map.inSize(layout::kBlock) != 1) {
    return op->emitError() << "a layout of other threads than the module's " << warps << " warps: " << type;
  }
  if (!map.isSurjective()) {
    return op->emitError() << "a layout that leaves out elements: " << type;
  }
  return success();
}

/// Checks one operand against the result by the rule that binds them.
static LogicalResult verifyOperand(OpOperand &operand) {
  Operation *op = operand.getOwner();
  auto tiles = llvm::make_filter_range(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  const LinearLayout &found = mapOf(operand.get());
  for (Type result : tiles) {
    std::optional<LinearLayout> wanted = operandLayout(operand, mapOf(result));
    std::optional<LinearLayout> given = wanted ? std::nullopt : resultLayout(operand, found);
    if ((wanted && *wanted != found) || (given && *given != mapOf(result))) {
      return op->emitError() << "operand " << operand.getOperandNumber() << " of '" << op->getName()
                             << "' does not lie where its result needs it: " << operand.get().getType() << " for "
                             << result;
    }
  }
  return success();
}

/// Whether a thread takes the same element of each tile operand. Their relation to the results does not imply it: a
/// store has none, and a reduction's say nothing of the axis that is gone.
static bool takesOperandsTogether(Operation *op) {
  return isa<tile::StoreOp, tile::ReduceOp, tile::ScanOp, AsyncCopyOp>(op);
}

static LogicalResult verifyAlike(Operation *op) {
  Type first;
  for (Type type : op->getOperandTypes()) {
    if (!isa<RankedTensorType>(type)) {
      continue;
    }
    if (first && getLayout(first) != getLayout(type)) {
      return op->emitError() << "operands of '" << op->getName() << "' lie differently: " << first << " and " << type;
    }
    first = type;
  }
  return success();
}

LogicalResult tilegpu::verifyLayouts(Operation *root) {
  int warps = numWarps(root);
  WalkResult result = root->walk([&](Operation *op) {
    for (Region &region : op->getRegions()) {
      for (BlockArgument argument : region.getArguments()) {
        if (failed(verifyThreads(op, argument.getType(), warps))) {
          return WalkResult::interrupt();
        }
      }
    }
    for (Type type : op->getResultTypes()) {
      if (failed(verifyThreads(op, type, warps))) {
        return WalkResult::interrupt();
      }
    }
    if (takesOperandsTogether(op) && failed(verifyAlike(op))) {
      return WalkResult::interrupt();
    }
    for (OpOperand &operand : op->getOpOperands()) {
      if (isa<RankedTensorType>(operand.get().getType()) && failed(verifyOperand(operand))) {
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
