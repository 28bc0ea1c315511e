// warn-endless-loops: warns of a `while` that waits for memory by a plain load.
//
//     scf.while {
//       %flag = tile.load %p              // no store in the loop, and %p is always the same
//       %waits = arith.cmpi eq, %flag, %zero
//       scf.condition(%waits)
//     } do { scf.yield }
//
// Other programs may write the memory, but a plain load need not read memory again: the code generators load once, so
// that the condition never changes, or canonicalization removes the loop. The pass only warns if nothing else can end
// the loop, such as a counter.

#include "tilewright/Analysis/MayAlias.h"
#include "tilewright/Dialect/Tile/IR/VolatileLoads.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilewright {
#define GEN_PASS_DEF_WARNENDLESSLOOPS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

/// Finds out which values are the same in every iteration of a loop, from the second one on, as long as the memory that
/// it loads does not change.
class FixedValues {
public:
  explicit FixedValues(scf::WhileOp loop) : loop(loop) {}

  bool isFixed(Value value) {
    value = previous(value);
    if (!value || !loop->isAncestor(value.getParentRegion()->getParentOp())) {
      return true;
    }
    auto [entry, isNew] = known.try_emplace(value, false); // false while a cycle through it is followed
    if (!isNew) {
      return entry->second;
    }
    bool result = value.getDefiningOp() && isFixedResult(cast<OpResult>(value));
    return known[value] = result;
  }

  /// The loads on which the fixed values depend.
  ArrayRef<tile::LoadOp> getLoads() const { return loads; }

private:
  /// Where a value comes from that the loop carries; null if the loop never changes it.
  Value previous(Value value) {
    llvm::SmallDenseSet<Value> seen;
    while (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner()->getParentOp() != loop) {
        return value;
      }
      if (!seen.insert(value).second) {
        return {};
      }
      bool isBefore = argument.getOwner() == loop.getBeforeBody();
      value = isBefore ? loop.getYieldOp()->getOperand(argument.getArgNumber())
                       : loop.getConditionOp().getArgs()[argument.getArgNumber()];
    }
    return value;
  }

  bool isFixedResult(OpResult result) {
    Operation *op = result.getOwner();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned index = result.getResultNumber();
      return isFixed(branch.getCondition()) && isFixed(branch.thenYield()->getOperand(index)) &&
             isFixed(branch.elseYield()->getOperand(index));
    }
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isPlain = load && !tile::readsEachTime(load);
    bool isComputed = op->getNumRegions() == 0 && isMemoryEffectFree(op);
    if (!(isPlain || isComputed) || !llvm::all_of(op->getOperands(), [&](Value value) { return isFixed(value); })) {
      return false;
    }
    if (isPlain) {
      loads.push_back(load);
    }
    return true;
  }

  scf::WhileOp loop;
  llvm::DenseMap<Value, bool> known;
  SmallVector<tile::LoadOp> loads;
};

/// Whether the loop may write the memory that it loads, or orders its accesses with those of other programs.
bool mayChange(scf::WhileOp loop, ArrayRef<tile::LoadOp> loads) {
  auto effects = getEffectsRecursively(loop);
  if (!effects) {
    return true;
  }
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    if (isa<MemoryEffects::Read>(effect.getEffect()) || effect.getResource() == tile::Console::get()) {
      continue;
    }
    Value pointer = effect.getValue();
    if (!pointer || llvm::any_of(loads, [&](tile::LoadOp load) { return mayAlias(pointer, load.getPtr()); })) {
      return true;
    }
  }
  return loop.walk([](tile::AtomicOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
}

struct WarnEndlessLoops : tilewright::impl::WarnEndlessLoopsBase<WarnEndlessLoops> {
  void runOnOperation() override {
    getOperation()->walk([](scf::WhileOp loop) {
      FixedValues values(loop);
      if (!values.isFixed(loop.getConditionOp().getCondition()) || values.getLoads().empty() ||
          mayChange(loop, values.getLoads())) {
        return;
      }
      tile::LoadOp load = values.getLoads().front();
      emitWarning(load.getLoc())
          << "this load need not read memory again in each iteration, and nothing else can end the loop that waits for "
             "another value; use tl.atomic_poll, tl.atomic_load or volatile=True";
    });
  }
};
} // namespace
