#include "GroupMmaChains.h"

#include "Buffers.h"
#include "tilewright/Dialect/TileGPU/IR/PartialSums.h"

using namespace mlir;

namespace tilewright::tilegpu {

SmallVector<Value> GroupMmaChain::buffers() const {
  SmallVector<Value> buffers;
  for (GroupMmaOp op : ops) {
    buffers.append(buffersOf(op));
  }
  return buffers;
}

/// Whether the group_mma reads both operands from shared memory, or A from registers if `inRegisters`, is executed in
/// each iteration, and other code does not add up its sums.
static bool canBeInFlight(GroupMmaOp op, scf::ForOp loop, bool inRegisters = false) {
  return op && op->getBlock() == loop.getBody() && !op.getAsync() && !partialK(op) &&
         (inRegisters || isa<BufferType>(op.getA().getType())) && isa<BufferType>(op.getB().getType());
}

/// The chain that begins with an argument of the loop; none if the accumulator has other uses.
static std::optional<GroupMmaChain> chainFrom(scf::ForOp loop, unsigned argument, bool inRegisters) {
  GroupMmaChain chain = {argument, {}};
  Value sum = loop.getRegionIterArg(argument);
  while (sum.hasOneUse()) {
    OpOperand &use = *sum.use_begin();
    if (isa<scf::YieldOp>(use.getOwner()) && use.getOwner()->getBlock() == loop.getBody()) {
      bool isOwn = use.getOperandNumber() == argument && !chain.ops.empty();
      return isOwn ? std::optional(chain) : std::nullopt;
    }
    auto op = dyn_cast<GroupMmaOp>(use.getOwner());
    if (!canBeInFlight(op, loop, inRegisters) || &use != &op.getAccMutable()) {
      return std::nullopt;
    }
    chain.ops.push_back(op);
    sum = op.getResult();
  }
  return std::nullopt;
}

SmallVector<GroupMmaChain> chainsOf(scf::ForOp loop, bool inRegisters) {
  SmallVector<GroupMmaChain> chains;
  size_t inChains = 0, all = 0;
  for (unsigned argument = 0; argument < loop.getNumRegionIterArgs(); ++argument) {
    if (std::optional<GroupMmaChain> chain = chainFrom(loop, argument, inRegisters)) {
      inChains += chain->ops.size();
      chains.push_back(std::move(*chain));
    }
  }
  loop.getBody()->walk([&](GroupMmaOp) { ++all; });
  return inChains == all ? chains : SmallVector<GroupMmaChain>();
}

/// The argument of the loop for which the iteration yields the result, if nothing else uses it.
static std::optional<unsigned> onlyYieldedFor(GroupMmaOp op, scf::ForOp loop) {
  if (!op.getResult().hasOneUse()) {
    return std::nullopt;
  }
  OpOperand &use = *op.getResult().use_begin();
  bool isYield = isa<scf::YieldOp>(use.getOwner()) && use.getOwner()->getBlock() == loop.getBody();
  return isYield ? std::optional(use.getOperandNumber()) : std::nullopt;
}

std::optional<ChainedDots> chainedDotsOf(scf::ForOp loop) {
  ChainedDots found;
  for (auto op : loop.getBody()->getOps<GroupMmaOp>()) {
    std::optional<unsigned> argument = onlyYieldedFor(op, loop);
    if (op.getAsync() || !isa<BufferType>(op.getB().getType())) {
      return std::nullopt;
    }
    if (loop.isDefinedOutsideOfLoop(op.getAcc()) && canBeInFlight(op, loop)) {
      found.scores.push_back(op);
    } else if (argument && !partialK(op)) {
      found.sums.push_back({*argument, op});
    }
  }
  return found.scores.empty() || found.sums.empty() ? std::nullopt : std::optional(std::move(found));
}

/// Whether the accumulator is that of the iteration before, or of another group_mma of this one.
static bool addsToCarried(GroupMmaOp op, scf::ForOp loop) {
  auto argument = dyn_cast<BlockArgument>(op.getAcc());
  return (argument && argument.getOwner() == loop.getBody()) || op.getAcc().getDefiningOp<GroupMmaOp>();
}

/// Whether the loop writes one of the buffers by other operations than copies that are in flight across iterations.
static bool readsOwnStores(GroupMmaOp op, scf::ForOp loop) {
  return llvm::any_of(buffersOf(op), [&](Value buffer) {
    LocalAllocOp alloc = allocationOf(buffer);
    return !alloc || llvm::any_of(accessesOf(alloc), [&](const BufferAccess &access) {
      return access.isWrite && loop->isProperAncestor(access.op) && !isa<AsyncCopyOp, BoxCopyOp>(access.op);
    });
  });
}

std::string whyNotInFlight(GroupMmaOp op, scf::ForOp loop) {
  if (op->getBlock() != loop.getBody()) {
    return "it is executed under a condition";
  }
  if (partialK(op)) {
    return "max_num_imprecise_acc has its partial sums added by other instructions";
  }
  if (readsOwnStores(op, loop)) {
    return "an operand is stored to shared memory in the same iteration, rather than copied ahead";
  }
  if (chainedDotsOf(loop)) {
    return "the copies write what the iteration before reads, unless num_stages is 3 or more";
  }
  if (!addsToCarried(op, loop) || !op.getResult().hasOneUse()) {
    return "other operations of the loop use its sums";
  }
  return op.getRegisterA() ? "operand A is in registers that the next iteration overwrites"
                           : "another dot of the loop can't be";
}

SmallVector<Value> buffersOf(GroupMmaOp op) {
  return llvm::to_vector(llvm::make_filter_range(ArrayRef<Value>{op.getA(), op.getB()},
                                                 [](Value operand) { return isa<BufferType>(operand.getType()); }));
}

} // namespace tilewright::tilegpu
