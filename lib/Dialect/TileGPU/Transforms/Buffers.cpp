#include "Buffers.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

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

llvm::SetVector<LocalAllocOp> buffersOf(LocalAllocOp ring) {
  llvm::SetVector<LocalAllocOp> buffers;
  for (Operation *slot : ring->getUsers()) {
    for (Operation *user : slot->getUsers()) {
      if (auto copy = dyn_cast<BoxCopyOp>(user)) {
        buffers.insert(allocationOf(copy.getBuffer()));
      }
    }
  }
  return buffers;
}

LocalStoreOp storeFor(LocalLoadOp load) {
  auto alloc = load.getBuffer().getDefiningOp<LocalAllocOp>();
  if (!alloc || load.getStart() || load.getAfter()) {
    return LocalStoreOp();
  }
  SmallVector<BufferAccess> accesses = accessesOf(alloc);
  for (const BufferAccess &access : accesses) {
    auto store = dyn_cast<LocalStoreOp>(access.op);
    if (store && accesses.size() == 2 && store->getBlock() == load->getBlock() && store->isBeforeInBlock(load)) {
      return store;
    }
  }
  return LocalStoreOp();
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

/// Follows tokens from copies to the waits for them.
class TokenUses {
public:
  explicit TokenUses(Operation *root) {
    root->walk([&](RegionBranchOpInterface op) {
      noteEdges(op, RegionBranchPoint::parent(), nullptr);
      for (Region &region : op->getRegions()) {
        for (Block &block : region) {
          if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(block.getTerminator())) {
            noteEdges(op, RegionBranchPoint(terminator), terminator);
          }
        }
      }
    });
  }

  /// The waits that a token reaches, also by way of the values to which control flow forwards it.
  struct Future {
    SmallVector<AsyncWaitOp> waits;
    llvm::SmallSetVector<Operation *, 2> carriedBy; ///< loops with a later iteration that has the token
    bool isCertain = true;                          ///< whether one of the waits is executed on every path
  };

  Future futureOf(Value token) const {
    Future future;
    SmallVector<Value> todo = {token};
    llvm::DenseSet<Value> seen;
    while (!todo.empty()) {
      Value value = todo.pop_back_val();
      if (!seen.insert(value).second) {
        continue;
      }
      future.isCertain &= isUsedOnEveryPath(value);
      for (Operation *user : value.getUsers()) {
        if (auto wait = dyn_cast<AsyncWaitOp>(user)) {
          future.waits.push_back(wait);
        } else if (auto commit = dyn_cast<AsyncCommitOp>(user)) {
          todo.push_back(commit.getToken());
        }
      }
      for (const Forward &forward : forwards.lookup(value)) {
        todo.append(forward.inputs);
        if (forward.isRepetition) {
          future.carriedBy.insert(forward.op);
        }
      }
    }
    return future;
  }

private:
  /// The values that have this one after control has passed along an edge of `op`; none if the edge drops the value.
  struct Forward {
    Operation *op, *from; ///< `from`: the operation or one of its terminators
    SmallVector<Value, 1> inputs;
    bool isRepetition;
  };

  void noteEdges(RegionBranchOpInterface op, RegionBranchPoint point, RegionBranchTerminatorOpInterface from) {
    SmallVector<RegionSuccessor> successors;
    op.getSuccessorRegions(point, successors);
    llvm::SetVector<Value> tokens;
    for (const RegionSuccessor &to : successors) {
      for (Value operand : from ? from.getSuccessorOperands(to) : op.getEntrySuccessorOperands(to)) {
        if (isa<TokenType>(operand.getType())) {
          tokens.insert(operand);
        }
      }
    }
    for (const RegionSuccessor &to : successors) {
      OperandRange operands = from ? from.getSuccessorOperands(to) : op.getEntrySuccessorOperands(to);
      for (Value token : tokens) {
        Forward forward = {op, from ? from.getOperation() : op.getOperation(), {}, from && !to.isParent()};
        for (auto [operand, input] : llvm::zip_equal(operands, to.getSuccessorInputs())) {
          if (operand == token) {
            forward.inputs.push_back(input);
          }
        }
        forwards[token].push_back(std::move(forward));
      }
    }
  }

  /// Whether the block that defines the token also waits for it, adds it to a group, or forwards it wherever control
  /// leaves the block.
  bool isUsedOnEveryPath(Value token) const {
    Block *block = token.getParentBlock();
    if (llvm::any_of(token.getUsers(), [&](Operation *user) {
          return user->getBlock() == block && isa<AsyncWaitOp, AsyncCommitOp>(user);
        })) {
      return true;
    }
    llvm::MapVector<Operation *, bool> isForwarded;
    for (const Forward &forward : forwards.lookup(token)) {
      if (forward.from->getBlock() == block) {
        bool &everywhere = isForwarded.try_emplace(forward.from, true).first->second;
        everywhere &= !forward.inputs.empty();
      }
    }
    return llvm::any_of(llvm::make_second_range(isForwarded), [](bool everywhere) { return everywhere; });
  }

  llvm::DenseMap<Value, SmallVector<Forward, 2>> forwards;
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

/// Extends the lifetime to where the copy has completed in all iterations.
static void addCopy(AsyncCopyOp copy, Lifetime &life, const Positions &positions, const TokenUses &tokens) {
  TokenUses::Future future = tokens.futureOf(copy.getToken());
  for (AsyncWaitOp wait : future.waits) {
    life.end = std::max(life.end, positions.before(wait));
  }
  if (!future.isCertain) {
    life.end = std::numeric_limits<int64_t>::max();
  }
  // A copy that a loop's next iteration finds in flight must not overwrite what that iteration stores, not even to
  // buffers above it in the loop's body.
  for (Operation *around = life.alloc->getParentOp(); around; around = around->getParentOp()) {
    if (isa<LoopLikeOpInterface>(around) && (future.carriedBy.contains(around) || life.end > positions.after(around))) {
      life.begin = std::min(life.begin, positions.before(around));
      life.end = std::max(life.end, positions.after(around));
    }
  }
}

static Lifetime lifetimeOf(LocalAllocOp alloc, const Positions &positions, const TokenUses &tokens) {
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
    addCopy(copy, life, positions, tokens);
  }
  return life;
}

SmallVector<Lifetime> lifetimesOf(Operation *root) {
  Positions positions(root);
  TokenUses tokens(root);
  SmallVector<Lifetime> lives;
  root->walk([&](LocalAllocOp alloc) {
    Lifetime life = lifetimeOf(alloc, positions, tokens);
    if (life.end >= 0) {
      lives.push_back(life);
    }
  });
  return lives;
}

} // namespace tilewright::tilegpu
