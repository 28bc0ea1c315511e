#include "tilewright/Analysis/MayAlias.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

static bool isPointer(Value value) { return isa<tile::PtrType>(tile::getElementType(value.getType())); }

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

/// Appends the values that control flow forwards to `value`, a result of `op` or an argument of the region `target`.
/// Appends nothing if the operation itself defines the value, such as an induction variable.
static void collectForwarded(RegionBranchOpInterface op, Region *target, Value value, SmallVectorImpl<Value> &sources) {
  for (RegionBranchPoint point : branchPoints(op)) {
    SmallVector<RegionSuccessor> successors;
    op.getSuccessorRegions(point, successors);
    for (RegionSuccessor successor : successors) {
      ValueRange inputs = successor.getSuccessorInputs();
      auto input = llvm::find(inputs, value);
      if (successor.getSuccessor() != target || input == inputs.end()) {
        continue;
      }
      auto terminator = dyn_cast_or_null<RegionBranchTerminatorOpInterface>(point.getTerminatorPredecessorOrNull());
      OperandRange operands =
          terminator ? terminator.getSuccessorOperands(successor) : op.getEntrySuccessorOperands(successor);
      sources.push_back(operands[std::distance(inputs.begin(), input)]);
    }
  }
}

/// The values from which a pointer is derived in one step; none if they are unknown because the pointer is loaded, cast
/// from an integer, or an argument of a combiner.
static SmallVector<Value> derivedFrom(Value pointer) {
  SmallVector<Value> sources;
  if (auto arg = dyn_cast<BlockArgument>(pointer)) {
    if (auto op = dyn_cast<RegionBranchOpInterface>(arg.getOwner()->getParentOp())) {
      collectForwarded(op, arg.getOwner()->getParent(), pointer, sources);
    }
    return sources;
  }
  Operation *op = pointer.getDefiningOp();
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    collectForwarded(branch, nullptr, pointer, sources);
  } else if (op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
    llvm::copy_if(op->getOperands(), std::back_inserter(sources), isPointer);
  }
  return sources;
}

static bool isFunctionArgument(Value value) {
  auto arg = dyn_cast<BlockArgument>(value);
  return arg && isa<FunctionOpInterface>(arg.getOwner()->getParentOp());
}

PointerRoots tilewright::findPointerRoots(Value pointer) {
  PointerRoots roots;
  llvm::SmallPtrSet<Value, 8> seen = {pointer};
  SmallVector<Value> worklist = {pointer};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (isFunctionArgument(value)) {
      roots.arguments.insert(value);
      continue;
    }
    SmallVector<Value> sources = derivedFrom(value);
    roots.isComplete &= !sources.empty();
    for (Value source : sources) {
      if (seen.insert(source).second) {
        worklist.push_back(source);
      }
    }
  }
  return roots;
}

static bool isExclusive(Value root) {
  auto arg = cast<BlockArgument>(root);
  auto function = cast<FunctionOpInterface>(arg.getOwner()->getParentOp());
  return function.getArgAttr(arg.getArgNumber(), tile::TileDialect::kNoAliasAttr) != nullptr;
}

bool tilewright::mayAlias(Value left, Value right) {
  PointerRoots leftRoots = findPointerRoots(left), rightRoots = findPointerRoots(right);
  if (!leftRoots.isComplete || !rightRoots.isComplete) {
    return true;
  }
  return llvm::any_of(leftRoots.arguments, [&](Value l) {
    return llvm::any_of(rightRoots.arguments, [&](Value r) { return l == r || !isExclusive(l) || !isExclusive(r); });
  });
}
