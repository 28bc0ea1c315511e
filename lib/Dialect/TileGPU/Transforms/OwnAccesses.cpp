#include "OwnAccesses.h"

#include "tilewright/Layout/Algebra.h"

using namespace mlir;

namespace tilewright::tilegpu {

/// The tile whose elements each thread accesses itself; null for other operations, which may use instructions by which
/// lanes access memory for each other.
static Value ownTile(Operation *op) {
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    return copy.getPtr();
  }
  auto read = dyn_cast<LocalLoadOp>(op);
  return read && read.getOwn() ? read.getResult() : Value();
}

static bool areDistributedAlike(Value left, Value right) {
  return mapOf(left) == mapOf(right) && hasOneThreadPerElement(mapOf(left));
}

bool hasOneThreadPerElement(const layout::LinearLayout &map) {
  std::vector<uint64_t> replicas = layout::freeBits(map);
  return replicas[1] == 0 && replicas[2] == 0; // among lanes, among warps
}

bool readsOwnCopy(LocalLoadOp read, LocalStoreOp store) {
  return read.getOwn() && read.getBuffer() == store.getBuffer() && areDistributedAlike(store.getSrc(), read);
}

bool areByTheSameThreads(Operation *one, Operation *other) {
  Value left = ownTile(one), right = ownTile(other);
  return left && right && areDistributedAlike(left, right);
}

} // namespace tilewright::tilegpu
