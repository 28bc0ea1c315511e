#include "tilewright/Analysis/ReadOnlyMemory.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

/// Whether any memory may change at the operation: other grids write until it, or assembly or a function does.
static bool ordersAllMemory(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](tile::WaitForGridsOp) { return true; })
      .Case<tile::InlineAsmOp, tile::CallOp, tile::CallLibraryOp>([](auto other) { return !other.getPure(); })
      .Default([](Operation *) { return false; });
}

ReadOnlyMemory::ReadOnlyMemory(Operation *function) {
  PointerRootsCache roots;
  function->walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects<MemoryEffects::Write>(effects);
    isWritten |= ordersAllMemory(op);
    written.isComplete &= !ordersAllMemory(op);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      Value value = effect.getValue();
      if (value && isa<tile::PtrType>(tile::getElementType(value.getType()))) {
        written.merge(roots.find(value));
        isWritten = true;
      }
    }
  });
}
