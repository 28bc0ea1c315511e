#include "tilewright/Analysis/ForwardedValues.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tilewright;

/// The operation with control flow that determines the value, and the region of which it is an argument (null for a
/// result).
static std::pair<RegionBranchOpInterface, Region *> branchOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Region *region = argument.getOwner()->getParent();
    return {dyn_cast_or_null<RegionBranchOpInterface>(region->getParentOp()), region};
  }
  return {dyn_cast<RegionBranchOpInterface>(value.getDefiningOp()), nullptr};
}

bool tilewright::isForwarded(Value value) { return branchOf(value).first != nullptr; }

/// Where control enters a region of `op` or leaves `op`: the operation itself and its regions' terminators.
static SmallVector<RegionBranchPoint> branchPoints(RegionBranchOpInterface op) {
  SmallVector<RegionBranchPoint> points = {RegionBranchPoint::parent()};
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(block.back())) {
        points.push_back(terminator);
      }
    }
  }
  return points;
}

SmallVector<Value> tilewright::valuesForwardedTo(Value value) {
  auto [op, target] = branchOf(value);
  SmallVector<Value> sources;
  for (RegionBranchPoint point : op ? branchPoints(op) : SmallVector<RegionBranchPoint>()) {
    SmallVector<RegionSuccessor> successors;
    RegionBranchOpInterface(op).getSuccessorRegions(point, successors);
    for (RegionSuccessor successor : successors) {
      ValueRange inputs = successor.getSuccessorInputs();
      auto input = llvm::find(inputs, value);
      if (successor.getSuccessor() != target || input == inputs.end()) {
        continue;
      }
      auto terminator = dyn_cast_or_null<RegionBranchTerminatorOpInterface>(point.getTerminatorPredecessorOrNull());
      OperandRange operands = terminator ? terminator.getSuccessorOperands(successor)
                                         : RegionBranchOpInterface(op).getEntrySuccessorOperands(successor);
      sources.push_back(operands[std::distance(inputs.begin(), input)]);
    }
  }
  return sources;
}
