#include "tilewright/Analysis/ReadOnlyMemory.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

ReadOnlyMemory::ReadOnlyMemory(Operation *function) {
  PointerRootsCache roots;
  function->walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects<MemoryEffects::Write>(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      Value value = effect.getValue();
      if (value && isa<tile::PtrType>(tile::getElementType(value.getType()))) {
        written.merge(roots.find(value));
        isWritten = true;
      }
    }
  });
}
