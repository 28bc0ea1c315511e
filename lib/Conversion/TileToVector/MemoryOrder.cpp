#include "tilewright/Conversion/TileToVector/MemoryOrder.h"

#include "tilewright/Analysis/MayAlias.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright::cpu {

static Value getPointer(Operation *op) {
  auto access = dyn_cast<tile::MemoryAccessOpInterface>(op);
  return access ? access.getPtr() : Value();
}

/// Whether the operation is an atomic with which no access to any memory may be reordered, as other programs rely on
/// its order.
static bool ordersMemory(Operation *op) {
  auto atomic = dyn_cast<tile::AtomicOpInterface>(op);
  return atomic && (atomic.releases() || atomic.acquires());
}

bool MemoryOrder::writes(Operation *op) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
    return llvm::any_of(op->getRegions(), [](Region &region) {
      return llvm::any_of(region.getOps(), [](Operation &inner) { return writes(&inner); });
    });
  }
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
    return effects.hasEffect<MemoryEffects::Write>();
  }
  return false;
}

bool MemoryOrder::touches(Operation *op) { return !isMemoryEffectFree(op); }

bool MemoryOrder::conflict(Operation *a, Operation *b) const {
  if (!writes(a) && !writes(b)) {
    return false;
  }
  Value pointerA = getPointer(a), pointerB = getPointer(b);
  if (!pointerA || !pointerB || ordersMemory(a) || ordersMemory(b)) {
    return touches(a) && touches(b);
  }
  return mayAlias(pointerA, pointerB);
}

bool MemoryOrder::mayShareNest(Operation *a, Operation *b) const {
  Value pointer = getPointer(a);
  if (!pointer || pointer != getPointer(b) || isa<tile::AtomicOpInterface>(a) || isa<tile::AtomicOpInterface>(b)) {
    return false;
  }
  // All pointers differ if they are consecutive along the only dimension with more than one element.
  ArrayRef<int64_t> shape = tile::getShape(pointer.getType());
  int wide = -1;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size == 1) {
      continue;
    }
    if (wide >= 0) {
      return false;
    }
    wide = static_cast<int>(dim);
  }
  return wide < 0 || axis.get(pointer).getContiguity(wide) >= shape[wide];
}

} // namespace tilewright::cpu
