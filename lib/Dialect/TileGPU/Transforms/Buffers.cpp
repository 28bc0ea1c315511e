#include "Buffers.h"

#include "TokenCopies.h"

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

private:
  void number(Operation *op) {
    int64_t first = next++;
    for (Region &region : op->getRegions()) {
      for (Operation &inner : region.getOps()) {
        number(&inner);
      }
    }
    positions[op] = {first, op->getNumRegions() == 0 ? first : next++};
  }

  llvm::DenseMap<Operation *, std::pair<int64_t, int64_t>> positions;
  int64_t next = 0;
};

/// The waits for each asynchronous copy.
class Waits {
public:
  explicit Waits(Operation *root) {
    TokenCopies copies;
    auto note = [&](Value value) {
      if (isa<TokenType>(value.getType()) && value.use_empty()) {
        llvm::append_range(dropped, llvm::make_first_range(copies.find(value)));
      }
    };
    root->walk([&](Operation *op) {
      llvm::for_each(op->getResults(), note);
      for (Region &region : op->getRegions()) {
        llvm::for_each(region.getArguments(), note);
      }
      if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
        for (Value token : wait.getTokens()) {
          for (AsyncCopyOp copy : llvm::make_first_range(copies.find(token))) {
            waits[copy].push_back(wait);
          }
        }
      }
    });
  }

  /// Where the copy has completed in all iterations before `position`: at the last wait for it after that position, if
  /// one is always executed. Copies of which a token is dropped never complete.
  int64_t endOf(AsyncCopyOp copy, int64_t position, const Positions &positions) const {
    bool isCertain = false;
    int64_t end = position;
    for (AsyncWaitOp wait : of(copy)) {
      isCertain |= wait->getParentOp()->isAncestor(copy) && positions.before(wait) >= position;
      end = std::max(end, positions.before(wait));
    }
    return isCertain && !llvm::is_contained(dropped, copy) ? end : std::numeric_limits<int64_t>::max();
  }

private:
  ArrayRef<AsyncWaitOp> of(AsyncCopyOp copy) const {
    auto found = waits.find(copy);
    return found == waits.end() ? ArrayRef<AsyncWaitOp>() : ArrayRef<AsyncWaitOp>(found->second);
  }

  llvm::DenseMap<AsyncCopyOp, SmallVector<AsyncWaitOp>> waits;
  SmallVector<AsyncCopyOp> dropped;
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

static Lifetime lifetimeOf(LocalAllocOp alloc, const Positions &positions, const Waits &waits) {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  Lifetime life = {alloc, kNever, kNever, -1, {}};
  SmallVector<AsyncCopyOp> copies;
  for (const BufferAccess &access : accessesOf(alloc)) {
    Operation *extent = outermostLoop(access.op, alloc);
    life.begin = std::min(life.begin, positions.before(extent));
    life.end = std::max(life.end, positions.after(extent));
    life.partitions.insert(partitionOf(access.op));
    if (!access.isWrite) {
      life.firstRead = std::min(life.firstRead, positions.before(access.op));
    }
    if (auto copy = dyn_cast<AsyncCopyOp>(access.op)) {
      copies.push_back(copy);
    }
  }
  for (AsyncCopyOp copy : copies) {
    life.end = std::max(life.end, waits.endOf(copy, positions.after(outermostLoop(copy, alloc)), positions));
  }
  return life;
}

SmallVector<Lifetime> lifetimesOf(Operation *root) {
  Positions positions(root);
  Waits waits(root);
  SmallVector<Lifetime> lives;
  root->walk([&](LocalAllocOp alloc) {
    Lifetime life = lifetimeOf(alloc, positions, waits);
    if (life.end >= 0) {
      lives.push_back(life);
    }
  });
  return lives;
}

} // namespace tilewright::tilegpu
