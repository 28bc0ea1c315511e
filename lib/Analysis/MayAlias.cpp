#include "tilewright/Analysis/MayAlias.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

/// The pointer that an operation moves, converts or gives another shape; null for one that
/// makes pointers of anything else, or chooses between several.
static Value onlyPointerOperand(Operation *op) {
  if (!isMemoryEffectFree(op) || op->getNumRegions() != 0) {
    return {};
  }
  auto pointers = llvm::make_filter_range(
      op->getOperands(), [](Value value) { return isa<tile::PtrType>(tile::getElementType(value.getType())); });
  return llvm::hasSingleElement(pointers) ? *pointers.begin() : Value();
}

static Value findRoot(Value pointer, llvm::SmallPtrSetImpl<void *> &seen) {
  while (pointer) {
    if (!seen.insert(pointer.getAsOpaquePointer()).second) {
      return {};
    }
    if (auto arg = dyn_cast<BlockArgument>(pointer)) {
      if (isa<FunctionOpInterface>(arg.getOwner()->getParentOp())) {
        return arg;
      }
      // A pointer carried around a loop only moves within its memory, unless the
      // loop swaps pointers: then the yielded one has another root.
      auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
      OpOperand *init = loop ? loop.getTiedLoopInit(arg) : nullptr;
      if (!init) {
        return {};
      }
      Value fromInit = findRoot(init->get(), seen);
      Value yielded = loop.getTiedLoopYieldedValue(arg)->get();
      Value fromBody = seen.contains(yielded.getAsOpaquePointer()) ? Value() : findRoot(yielded, seen);
      return !fromBody || fromBody == fromInit ? fromInit : Value();
    }
    pointer = onlyPointerOperand(pointer.getDefiningOp());
  }
  return {};
}

Value tilewright::findPointerRoot(Value pointer) {
  llvm::SmallPtrSet<void *, 8> seen;
  return findRoot(pointer, seen);
}

static bool isExclusive(Value root) {
  auto arg = dyn_cast_or_null<BlockArgument>(root);
  auto function = arg ? dyn_cast<FunctionOpInterface>(arg.getOwner()->getParentOp()) : nullptr;
  return function && function.getArgAttr(arg.getArgNumber(), tile::TileDialect::kNoAliasAttr);
}

bool tilewright::mayAlias(Value left, Value right) {
  Value rootOfLeft = findPointerRoot(left), rootOfRight = findPointerRoot(right);
  bool areApart =
      rootOfLeft && rootOfRight && rootOfLeft != rootOfRight && isExclusive(rootOfLeft) && isExclusive(rootOfRight);
  return !areApart;
}
