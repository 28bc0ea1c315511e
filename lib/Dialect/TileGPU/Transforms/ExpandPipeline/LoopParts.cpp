#include "LoopParts.h"

using namespace mlir;

namespace tilewright::tilegpu {

static Position toPosition(ScheduleAttr schedule) {
  return {schedule.getStage(), schedule.getCluster(), schedule.getPartition()};
}

std::optional<Position> findPosition(Operation *op) {
  auto schedule = op->getAttrOfType<ScheduleAttr>(TileGPUDialect::kScheduleAttr);
  return schedule ? std::optional(toPosition(schedule)) : std::nullopt;
}

Position positionOf(Operation *op) {
  return toPosition(op->getAttrOfType<ScheduleAttr>(TileGPUDialect::kScheduleAttr));
}

/// The index of the loop-carried argument that the value is, if it is one.
static std::optional<unsigned> argumentNumber(Value value, scf::ForOp loop) {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isCarried = argument && argument.getOwner() == loop.getBody() && argument != loop.getInductionVar();
  return isCarried ? std::optional(argument.getArgNumber() - loop.getNumInductionVars()) : std::nullopt;
}

/// Extends the range of a stage's positions.
static void include(StageOps &stage, Position position, bool isFirst) {
  stage.first = isFirst || position.cluster < stage.first.cluster ? position : stage.first;
  stage.last = isFirst || position.cluster > stage.last.cluster ? position : stage.last;
}

static void add(StageOps &stage, Operation *op) {
  include(stage, positionOf(op), stage.ops.empty());
  stage.ops.push_back(op);
}

LoopParts::LoopParts(scf::ForOp loop) {
  int64_t lastStage = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    lastStage = std::max(lastStage, positionOf(&op).stage);
  }
  split(loop, lastStage);
  SmallVector<Value> needed;
  for (Operation *op : late.ops) {
    op->walk([&](Operation *inner) { llvm::append_range(needed, inner->getOperands()); });
  }
  for (OpResult result : loop->getResults()) {
    if (!result.use_empty()) {
      needed.push_back(loop.getRegionIterArg(result.getResultNumber()));
    }
  }
  llvm::SetVector<Operation *> all(late.ops.begin(), late.ops.end());
  for (Value value : needed) {
    addLate(value, loop, all);
  }
  orderLate(loop, all);
}

void LoopParts::split(scf::ForOp loop, int64_t lastStage) {
  for (Operation &op : loop.getBody()->without_terminator()) {
    int64_t stage = positionOf(&op).stage;
    if (stage == lastStage) {
      add(late, &op);
    } else if (stage != 0) {
      add(between[stage], &op);
    } else if (auto store = dyn_cast<LocalStoreOp>(op)) {
      stores.push_back(store);
    } else {
      add(ahead, &op);
      for (Value operand : op.getOperands()) {
        if (std::optional<unsigned> number = argumentNumber(operand, loop)) {
          aheadArguments.insert(*number);
        }
      }
    }
  }
}

void LoopParts::addLate(Value value, scf::ForOp loop, llvm::SetVector<Operation *> &ops) {
  if (std::optional<unsigned> number = argumentNumber(value, loop)) {
    if (lateArguments.insert(*number)) {
      addLate(loop.getYieldedValues()[*number], loop, ops);
    }
    return;
  }
  Operation *op = value.getDefiningOp();
  bool isHere = op && op->getBlock() == loop.getBody() && !between.count(positionOf(op).stage);
  bool isCarried = isHere && isa<tile::LoadOp>(op) && positionOf(op).stage == 0;
  if (isHere && !isCarried && ops.insert(op)) {
    for (Value operand : op->getOperands()) {
      addLate(operand, loop, ops);
    }
  }
}

void LoopParts::orderLate(scf::ForOp loop, const llvm::SetVector<Operation *> &ops) {
  Position first = late.first;
  late.ops.clear();
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (ops.contains(&op)) {
      late.ops.push_back(&op);
      latePositions.push_back(positionOf(&op).stage == first.stage ? positionOf(&op) : first);
    }
  }
}

} // namespace tilewright::tilegpu
