#include "tilewright/Analysis/ReadOnlyMemory.h"

#include "tilewright/Analysis/MayAlias.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

ReadOnlyMemory::ReadOnlyMemory(Operation *function) {
  function->walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects<MemoryEffects::Write>(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      Value value = effect.getValue();
      if (value && isa<tile::PtrType>(tile::getElementType(value.getType()))) {
        written.push_back(value);
      }
    }
  });
}

bool ReadOnlyMemory::contains(Value pointer) const {
  return llvm::none_of(written, [&](Value other) { return mayAlias(other, pointer); });
}
