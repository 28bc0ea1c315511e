#include "Speculation.h"

#include "tilewright/Analysis/IntegerDivision.h"
#include "tilewright/Analysis/MayAlias.h"
#include "tilewright/Dialect/Tile/IR/VolatileLoads.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::tilegpu {

bool canRunAhead(Operation *op) { return isSpeculatable(op) || isIntegerDivision(op); }

/// Whether the operation is defined for all dividends. MLIR takes all remainders for speculatable; LLVM does not.
static bool isSafe(Operation *op) {
  if (!isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    return !isIntegerDivision(op) || isSpeculatable(op);
  }
  return isSafeDivision(op);
}

/// Replaces the divisor of a division that is not safe by 1 if `exists` is false.
static void guardDivision(RewriterBase &rewriter, Operation *op, Value exists) {
  if (isSafe(op)) {
    return;
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value divisor = op->getOperand(1);
  Value one = arith::ConstantOp::create(rewriter, op->getLoc(), rewriter.getOneAttr(divisor.getType()));
  Value safe = arith::SelectOp::create(rewriter, op->getLoc(), exists, divisor, one);
  rewriter.modifyOpInPlace(op, [&] { op->setOperand(1, safe); });
}

/// Operations of rings have an operand for that.
static void maskRing(RewriterBase &rewriter, MutableOperandRange mask, Value exists) {
  Value own = mask.empty() ? Value() : mask[0].get();
  Location loc = mask.getOwner()->getLoc();
  mask.assign(own ? arith::AndIOp::create(rewriter, loc, own, exists).getResult() : exists);
}

/// Reads nothing where `exists` is false.
template <typename Access> static void maskRead(RewriterBase &rewriter, Access access, Value exists) {
  Location loc = access.getLoc();
  Value mask = exists;
  if (auto pointers = dyn_cast<RankedTensorType>(access.getPtr().getType())) {
    auto type = RankedTensorType::get(pointers.getShape(), rewriter.getI1Type(), pointers.getEncoding());
    mask = tile::SplatOp::create(rewriter, loc, type, exists);
  }
  if (Value own = access.getMask()) {
    own = own.getType() == mask.getType() ? own : tile::SplatOp::create(rewriter, loc, mask.getType(), own).getResult();
    mask = arith::AndIOp::create(rewriter, loc, own, mask);
  }
  access.getMaskMutable().assign(mask);
}

/// Reads a slot of a ring only where it has been waited for: nothing fills it for an iteration that does not exist.
static Operation *readSlotIf(RewriterBase &rewriter, LocalLoadOp read, Value exists) {
  Location loc = read.getLoc();
  auto branch = scf::IfOp::create(rewriter, loc, read.getType(), exists, /*withElseRegion=*/true);
  rewriter.replaceAllUsesWith(read.getResult(), branch.getResult(0));
  rewriter.moveOpBefore(read, branch.thenBlock(), branch.thenBlock()->end());
  rewriter.setInsertionPointAfter(read);
  scf::YieldOp::create(rewriter, loc, read.getResult());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(rewriter, loc, ub::PoisonOp::create(rewriter, loc, read.getType()).getResult());
  return branch;
}

Operation *executeIf(RewriterBase &rewriter, Operation *op, Value exists) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  if (auto read = dyn_cast<LocalLoadOp>(op); read && read.getAfter() && read.getAfter().getDefiningOp<RingWaitOp>()) {
    return readSlotIf(rewriter, read, exists);
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<AsyncCopyOp, tile::LoadOp>([&](auto access) { maskRead(rewriter, access, exists); })
      .Case<RingAcquireOp, BoxCopyOp, RingWaitOp>(
          [&](auto ring) { maskRing(rewriter, ring.getExistsMutable(), exists); })
      .Default([&](Operation *) { guardDivision(rewriter, op, exists); });
  return op;
}

/// Whether the effect may be a write to the memory at `pointer`. An effect without a value is on all of its
/// resource: that of a barrier, or of an assertion, which may end the launch.
static bool mayChange(const MemoryEffects::EffectInstance &effect, Value pointer) {
  SideEffects::Resource *resource = effect.getResource();
  bool isElsewhere = resource == SharedMemory::get() || resource == tile::Console::get();
  if (isElsewhere || isa<MemoryEffects::Read>(effect.getEffect())) {
    return false;
  }
  return !effect.getValue() || mayAlias(effect.getValue(), pointer);
}

bool hasHoistingHazard(Value pointer, scf::ForOp loop, const ReadOnlyMemory &readOnly) {
  auto effects = getEffectsRecursively(loop);
  if (!effects || llvm::any_of(*effects, [&](const auto &effect) { return mayChange(effect, pointer); })) {
    return true;
  }
  WalkResult result = loop->walk([&](tile::AtomicOpInterface atomic) {
    bool isOrdering = (atomic.releases() || atomic.acquires()) && !readOnly.contains(pointer);
    return isOrdering ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether the operation may be executed for an iteration that does not exist.
static bool canBeAhead(Operation *op, scf::ForOp loop, const ReadOnlyMemory *readOnly) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    return readOnly && !tile::readsEachTime(load) && !hasHoistingHazard(load.getPtr(), loop, *readOnly);
  }
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 && canRunAhead(op);
}

bool addAheadSlice(Value value, scf::ForOp loop, llvm::SetVector<Operation *> &slice,
                   llvm::SetVector<unsigned> *arguments, const ReadOnlyMemory *readOnly) {
  SmallVector<Value> todo = {value};
  llvm::DenseSet<Value> seen;
  while (!todo.empty()) {
    Value next = todo.pop_back_val();
    if (!seen.insert(next).second) {
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar()) {
        if (arguments) {
          arguments->insert(argument.getArgNumber() - loop.getNumInductionVars());
        }
        Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
        Operation *source = yielded.getDefiningOp();
        if (!source || source->getBlock() != loop.getBody()) {
          return false; // upstream's pipeliner gives iterations ahead the argument's value of another iteration
        }
        todo.push_back(yielded);
      }
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (op->getBlock() != loop.getBody()) {
      continue;
    }
    if (!canBeAhead(op, loop, readOnly)) {
      return false;
    }
    slice.insert(op);
    llvm::append_range(todo, op->getOperands());
  }
  return true;
}

int64_t stagesOf(scf::ForOp loop) {
  auto requested = loop->getAttrOfType<IntegerAttr>(tile::TileDialect::kNumStagesAttr);
  return requested ? requested.getInt() : defaultNumStages(loop);
}

} // namespace tilewright::tilegpu
