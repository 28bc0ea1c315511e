#include "LoopParts.h"

using namespace mlir;

namespace tilewright::tilegpu {

static int stageOf(Operation *op) {
  auto stage = op->getAttrOfType<IntegerAttr>(TileGPUDialect::kStageAttr);
  return stage ? static_cast<int>(stage.getInt()) : -1;
}

/// The index of the loop-carried argument that the value is, if it is one.
static std::optional<unsigned> argumentNumber(Value value, scf::ForOp loop) {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isCarried = argument && argument.getOwner() == loop.getBody() && argument != loop.getInductionVar();
  return isCarried ? std::optional(argument.getArgNumber() - loop.getNumInductionVars()) : std::nullopt;
}

LoopParts::LoopParts(scf::ForOp loop, int slots) {
  int lastStage = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    lastStage = std::max(lastStage, stageOf(&op));
  }
  SmallVector<Value> needed;
  for (Operation &op : loop.getBody()->without_terminator()) {
    int stage = stageOf(&op);
    if (stage == slots - 1 && stage < lastStage) {
      early.push_back(&op);
    } else if (stage != 0) {
      late.insert(&op);
      op.walk([&](Operation *inner) { llvm::append_range(needed, inner->getOperands()); });
    } else if (auto store = dyn_cast<LocalStoreOp>(op)) {
      stores.push_back(store);
    } else {
      ahead.push_back(&op);
      for (Value operand : op.getOperands()) {
        if (std::optional<unsigned> number = argumentNumber(operand, loop)) {
          aheadArguments.insert(*number);
        }
      }
    }
  }
  for (OpResult result : loop->getResults()) {
    if (!result.use_empty()) {
      needed.push_back(loop.getRegionIterArg(result.getResultNumber()));
    }
  }
  for (Value value : needed) {
    addLate(value, loop);
  }
}

void LoopParts::addLate(Value value, scf::ForOp loop) {
  if (std::optional<unsigned> number = argumentNumber(value, loop)) {
    if (lateArguments.insert(*number)) {
      addLate(loop.getYieldedValues()[*number], loop);
    }
    return;
  }
  Operation *op = value.getDefiningOp();
  bool isHere = op && op->getBlock() == loop.getBody() && !llvm::is_contained(early, op);
  if (isHere && late.insert(op)) {
    for (Value operand : op->getOperands()) {
      addLate(operand, loop);
    }
  }
}

} // namespace tilewright::tilegpu
