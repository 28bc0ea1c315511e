#include "tilewright/Analysis/MayAlias.h"

#include "tilewright/Analysis/ForwardedValues.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

static bool isPointer(Value value) { return isa<tile::PtrType>(tile::getElementType(value.getType())); }

/// The values from which a pointer is derived in one step; none if they are unknown because the pointer is loaded, cast
/// from an integer, or an argument of a combiner.
static SmallVector<Value> derivedFrom(Value pointer) {
  if (isForwarded(pointer)) {
    return valuesForwardedTo(pointer);
  }
  SmallVector<Value> sources;
  Operation *op = pointer.getDefiningOp();
  if (op && op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
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

void PointerRoots::merge(const PointerRoots &other) {
  arguments.insert(other.arguments.begin(), other.arguments.end());
  isComplete &= other.isComplete;
}

bool tilewright::mayAlias(const PointerRoots &left, const PointerRoots &right) {
  if (!left.isComplete || !right.isComplete) {
    return true;
  }
  return llvm::any_of(left.arguments, [&](Value l) {
    return llvm::any_of(right.arguments, [&](Value r) { return l == r || !isExclusive(l) || !isExclusive(r); });
  });
}

bool tilewright::mayAlias(Value left, Value right) { return mayAlias(findPointerRoots(left), findPointerRoots(right)); }

const PointerRoots &PointerRootsCache::find(Value pointer) {
  SmallVector<Value> chain;
  std::shared_ptr<const PointerRoots> found;
  for (Value value = pointer; !(found = roots.lookup(value));) {
    chain.push_back(value);
    SmallVector<Value> sources = isForwarded(value) ? SmallVector<Value>() : derivedFrom(value);
    if (sources.size() != 1) {
      found = std::make_shared<const PointerRoots>(findPointerRoots(value));
      break;
    }
    value = sources.front();
  }
  for (Value value : chain) {
    roots[value] = found;
  }
  return *found;
}
