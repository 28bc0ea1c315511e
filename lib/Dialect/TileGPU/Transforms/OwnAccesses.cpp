#include "OwnAccesses.h"

#include "tilewright/Layout/Algebra.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// The tile by whose layout the threads access a buffer; null for other operations.
static Value accessedTile(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](AsyncCopyOp copy) { return copy.getPtr(); })
      .Case([](LocalStoreOp store) { return store.getSrc(); })
      .Case([](LocalLoadOp load) { return load.getResult(); })
      .Default([](Operation *) { return Value(); });
}

bool hasOneThreadPerElement(const layout::LinearLayout &map) {
  std::vector<uint64_t> copies = layout::freeBits(map);
  return copies[1] == 0 && copies[2] == 0; // among lanes, among warps
}

bool areByTheSameThreads(Operation *one, Operation *other) {
  Value left = accessedTile(one), right = accessedTile(other);
  return left && right && mapOf(left) == mapOf(right) && hasOneThreadPerElement(mapOf(left));
}

} // namespace tilewright::tilegpu
