#include "MemoryOrder.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// Whether the program may execute `op` before `later`.
static bool mayPrecede(Operation *op, Operation *later) {
  Operation *around = later, *ancestor = nullptr;
  while (!(ancestor = around->getBlock()->findAncestorOpInBlock(*op))) {
    around = around->getParentOp();
  }
  return around == ancestor || ancestor->isBeforeInBlock(around) || around->getParentOfType<LoopLikeOpInterface>();
}

/// Whether the operation writes global memory, or may wait for another program that does.
static bool mayNeedOrder(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getIsVolatile()) {
    return true;
  }
  if (isa<tile::AtomicOpInterface>(op)) {
    return true;
  }
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    return false;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) && effect.getResource() == tile::Memory::get();
  });
}

bool mayReadEarlierWrites(tile::LoadOp load, scf::ForOp loop, const ReadOnlyMemory &readOnly) {
  if (readOnly.contains(load.getPtr())) {
    return false;
  }
  WalkResult result = loop->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
    return mayNeedOrder(op) && mayPrecede(op, loop) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether the effect may be on the memory at `pointer`, or without a value, on all memory.
static bool isOnMemory(const MemoryEffects::EffectInstance &effect, Value pointer, bool ofUnknown) {
  SideEffects::Resource *resource = effect.getResource();
  if (resource == SharedMemory::get() || resource == tile::Console::get()) {
    return false;
  }
  bool isPointer = effect.getValue() && isa<tile::PtrType>(tile::getElementType(effect.getValue().getType()));
  return isPointer ? mayAlias(effect.getValue(), pointer) : ofUnknown;
}

/// Whether both are relaxed atomics, of which no program can tell the order by the memory of the other.
static bool areUnordered(Operation *op, Operation *other) {
  auto isRelaxed = [](Operation *atomic) {
    auto interface = dyn_cast<tile::AtomicOpInterface>(atomic);
    return interface && !interface.releases() && !interface.acquires();
  };
  return isRelaxed(op) && isRelaxed(other);
}

/// Whether the operation must see the store, must come before it, or may let another program look for it.
static bool isOrderedWith(Operation *op, tile::MemoryAccessOpInterface store) {
  if (op == store || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(op)) {
    return false;
  }
  bool isLater = mayPrecede(store, op);
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface || (isLater && isa<tile::AtomicOpInterface>(op) && !areUnordered(op, store))) {
    return isLater;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [&](const auto &effect) { return isOnMemory(effect, store.getPtr(), isLater); });
}

bool needsOrder(tile::MemoryAccessOpInterface store) {
  WalkResult result = store->getParentOfType<func::FuncOp>().getBody().walk(
      [&](Operation *op) { return isOrderedWith(op, store) ? WalkResult::interrupt() : WalkResult::advance(); });
  return result.wasInterrupted();
}

} // namespace tilewright::tilegpu
