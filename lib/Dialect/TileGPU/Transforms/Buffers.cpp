#include "Buffers.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tilewright::tilegpu {

LocalAllocOp allocationOf(Value buffer) {
  while (auto slot = buffer.getDefiningOp<LocalSlotOp>()) {
    buffer = slot.getSrc();
  }
  return buffer.getDefiningOp<LocalAllocOp>();
}

SmallVector<BufferAccess> accessesOf(LocalAllocOp alloc) {
  SmallVector<BufferAccess> accesses;
  SmallVector<Value> aliases = {alloc.getResult()};
  while (!aliases.empty()) {
    Value alias = aliases.pop_back_val();
    for (OpOperand &use : alias.getUses()) {
      if (isa<LocalSlotOp>(use.getOwner())) {
        aliases.push_back(use.getOwner()->getResult(0));
        continue;
      }
      SmallVector<MemoryEffects::EffectInstance> effects;
      cast<MemoryEffectOpInterface>(use.getOwner()).getEffects(effects);
      for (const MemoryEffects::EffectInstance &effect : effects) {
        if (effect.getEffectValue<OpOperand *>() == &use) {
          accesses.push_back({use.getOwner(), isa<MemoryEffects::Write>(effect.getEffect())});
        }
      }
    }
  }
  return accesses;
}

namespace {
/// Numbers operations in textual order; an operation with regions has a number before and one after these.
class Positions {
public:
  explicit Positions(Operation *root) { number(root); }

  int64_t before(Operation *op) const { return positions.lookup(op).first; }
  int64_t after(Operation *op) const { return positions.lookup(op).second; }
  ArrayRef<AsyncWaitOp> waits() const { return allWaits; }

private:
  void number(Operation *op) {
    int64_t first = next++;
    for (Region &region : op->getRegions()) {
      for (Operation &inner : region.getOps()) {
        number(&inner);
      }
    }
    positions[op] = {first, op->getNumRegions() == 0 ? first : next++};
    if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
      allWaits.push_back(wait);
    }
  }

  llvm::DenseMap<Operation *, std::pair<int64_t, int64_t>> positions;
  SmallVector<AsyncWaitOp> allWaits;
  int64_t next = 0;
};
} // namespace

/// The outermost loop around the operation that does not contain the allocation; the operation itself if there is none.
static Operation *outermostLoop(Operation *op, LocalAllocOp alloc) {
  Operation *found = op;
  for (Operation *parent = op->getParentOp(); !parent->isAncestor(alloc); parent = parent->getParentOp()) {
    found = isa<LoopLikeOpInterface>(parent) ? parent : found;
  }
  return found;
}

/// Where the copies in flight at `position` have completed: the next wait for all groups.
static int64_t endOfCopies(const Positions &positions, int64_t position) {
  int64_t end = std::numeric_limits<int64_t>::max();
  for (AsyncWaitOp wait : positions.waits()) {
    if (wait.getPending() == 0 && positions.before(wait) > position) {
      end = std::min(end, positions.before(wait));
    }
  }
  return end;
}

static Lifetime lifetimeOf(LocalAllocOp alloc, const Positions &positions) {
  Lifetime life = {alloc, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max(), -1};
  bool isCopied = false;
  for (const BufferAccess &access : accessesOf(alloc)) {
    Operation *extent = outermostLoop(access.op, alloc);
    life.begin = std::min(life.begin, positions.before(extent));
    life.end = std::max(life.end, positions.after(extent));
    if (!access.isWrite) {
      life.firstRead = std::min(life.firstRead, positions.before(access.op));
    }
    isCopied |= isa<AsyncCopyOp>(access.op);
  }
  if (isCopied) {
    life.end = std::max(life.end, endOfCopies(positions, life.end));
  }
  return life;
}

SmallVector<Lifetime> lifetimesOf(Operation *root) {
  Positions positions(root);
  SmallVector<Lifetime> lives;
  root->walk([&](LocalAllocOp alloc) {
    Lifetime life = lifetimeOf(alloc, positions);
    if (life.end >= 0) {
      lives.push_back(life);
    }
  });
  return lives;
}

} // namespace tilewright::tilegpu
