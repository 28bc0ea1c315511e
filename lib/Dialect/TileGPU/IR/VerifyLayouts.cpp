// Checks that all layouts have the module's number of threads, and that operands and results satisfy LayoutRules.h.

#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

static LogicalResult verifyThreads(Operation *op, Type type, Threads threads) {
  if (!isa<RankedTensorType>(type)) {
    return success();
  }
  LayoutAttr attr = getLayout(type);
  if (!attr || attr.isShared()) {
    return op->emitError() << "tile without a layout in registers: " << type;
  }
  const LinearLayout &map = attr.getMap();
  if (map.inSize(layout::kLane) != threads.lanes || map.inSize(layout::kWarp) != threads.warps ||
      map.inSize(layout::kBlock) != 1) {
    return op->emitError() << "layout does not match the module's " << threads.warps << " warps: " << type;
  }
  if (!map.isSurjective()) {
    return op->emitError() << "layout does not cover all elements: " << type;
  }
  return success();
}

/// Checks the layout of one operand against the layouts of the results.
static LogicalResult verifyOperand(OpOperand &operand) {
  Operation *op = operand.getOwner();
  auto tiles = llvm::make_filter_range(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  const LinearLayout &found = mapOf(operand.get());
  for (Type result : tiles) {
    std::optional<LinearLayout> wanted = operandLayout(operand, mapOf(result));
    std::optional<LinearLayout> given = wanted ? std::nullopt : resultLayout(operand, found);
    if ((wanted && *wanted != found) || (given && *given != mapOf(result))) {
      return op->emitError() << "operand " << operand.getOperandNumber() << " of '" << op->getName()
                             << "' has a layout that does not match its result: " << operand.get().getType() << " for "
                             << result;
    }
  }
  return success();
}

static LogicalResult verifyAlike(Operation *op) {
  Type first;
  for (Type type : op->getOperandTypes()) {
    if (!isa<RankedTensorType>(type)) {
      continue;
    }
    if (first && getLayout(first) != getLayout(type)) {
      return op->emitError() << "operands of '" << op->getName() << "' have different layouts: " << first << " and "
                             << type;
    }
    first = type;
  }
  return success();
}

LogicalResult tilegpu::verifyLayouts(Operation *root) {
  Threads threads = threadsOf(root);
  WalkResult result = root->walk([&](Operation *op) {
    for (Region &region : op->getRegions()) {
      for (BlockArgument argument : region.getArguments()) {
        if (failed(verifyThreads(op, argument.getType(), threads))) {
          return WalkResult::interrupt();
        }
      }
    }
    for (Type type : op->getResultTypes()) {
      if (failed(verifyThreads(op, type, threads))) {
        return WalkResult::interrupt();
      }
    }
    if (needsEqualOperands(op) && failed(verifyAlike(op))) {
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
