// predicate-loads: executes the loads for a conditional dot in every iteration, masked by the condition. See Passes.td.
//
//     scf.for %i {                               scf.for %i {
//       scf.if %c {                                %m = tile.splat %c
//         %x = tile.load %p                 ->     %x = tile.load %p mask %m
//         tile.dot %x, ...                         scf.if %c {
//                                                    tile.dot %x, ...

#include "tilewright/Analysis/IntegerDivision.h"
#include "tilewright/Dialect/Tile/IR/VolatileLoads.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

namespace tilewright {
#define GEN_PASS_DEF_PREDICATELOADS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

/// The innermost loop around a branch, if only branches are between them and the loop is counted.
scf::ForOp loopAround(scf::IfOp branch) {
  Operation *around = branch->getParentOp();
  while (isa<scf::IfOp>(around)) {
    around = around->getParentOp();
  }
  return dyn_cast<scf::ForOp>(around);
}

/// Whether the operation may be executed where the condition is false. A load is masked there.
bool canBePredicated(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    return !tile::readsEachTime(load);
  }
  if (isIntegerDivision(op)) {
    return isSafeDivision(op);
  }
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && isSpeculatable(op);
}

/// Whether the operation may change what a load after it reads, or orders it: has any effect but reads.
bool mayAffectLoads(Operation *op) {
  auto effects = getEffectsRecursively(op);
  return !effects || !llvm::all_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Read>(effect.getEffect());
  });
}

/// The operations of the block that have no effect on loads, from its beginning to the first one that has.
llvm::SetVector<Operation *> operationsBeforeEffects(Block &block) {
  llvm::SetVector<Operation *> found;
  for (Operation &op : block.without_terminator()) {
    if (mayAffectLoads(&op)) {
      break;
    }
    found.insert(&op);
  }
  return found;
}

/// The computation of the operands of a dot in one region of a branch.
class Operands {
public:
  explicit Operands(Block &block) : candidates(operationsBeforeEffects(block)), block(block) {}

  /// Adds the loads from which the operand is computed, and their addresses and masks.
  void addLoadsOf(Value operand) {
    Operation *op = operand.getDefiningOp();
    if (!op || !isIn(op) || !seen.insert(op).second) {
      return;
    }
    if (isa<tile::LoadOp>(op)) {
      llvm::SetVector<Operation *> slice;
      if (addSlice(op, slice)) {
        moved.insert_range(slice);
      }
      return;
    }
    for (Value next : op->getOperands()) {
      addLoadsOf(next);
    }
  }

  /// In program order.
  SmallVector<Operation *> take() {
    SmallVector<Operation *> ordered;
    llvm::copy_if(candidates, std::back_inserter(ordered), [&](Operation *op) { return moved.contains(op); });
    return ordered;
  }

private:
  bool isIn(Operation *op) const { return op->getBlock() == &block; }

  bool addSlice(Operation *op, llvm::SetVector<Operation *> &slice) {
    if (!candidates.contains(op) || !canBePredicated(op)) {
      return false;
    }
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && isIn(source) && !slice.contains(source) && !addSlice(source, slice)) {
        return false;
      }
    }
    slice.insert(op);
    return true;
  }

  llvm::SetVector<Operation *> candidates, moved;
  llvm::DenseSet<Operation *> seen;
  Block &block;
};

/// The mask of a load that is executed only where `condition`, a scalar, is true.
Value maskBy(OpBuilder &builder, tile::LoadOp load, Value condition) {
  Location loc = load.getLoc();
  Value mask = condition;
  if (auto pointers = dyn_cast<RankedTensorType>(load.getPtr().getType())) {
    auto type = RankedTensorType::get(pointers.getShape(), builder.getI1Type(), pointers.getEncoding());
    mask = tile::SplatOp::create(builder, loc, type, condition);
  }
  Value own = load.getMask();
  if (!own) {
    return mask;
  }
  if (own.getType() != mask.getType()) {
    own = tile::SplatOp::create(builder, loc, mask.getType(), own);
  }
  return arith::AndIOp::create(builder, loc, own, mask);
}

Value negate(OpBuilder &builder, scf::IfOp branch) {
  Value one = arith::ConstantIntOp::create(builder, branch.getLoc(), 1, 1);
  return arith::XOrIOp::create(builder, branch.getLoc(), branch.getCondition(), one);
}

/// The operations that compute the operands of the dots in a region, as far as they can be executed before it.
SmallVector<Operation *> operationsToMove(Region &region) {
  if (region.empty()) {
    return {};
  }
  Operands operands(region.front());
  region.walk([&](tile::DotOp dot) {
    operands.addLoadsOf(dot.getA());
    operands.addLoadsOf(dot.getB());
  });
  return operands.take();
}

/// The size of a loaded tile; 0 for other operations, and for scalars.
int64_t loadedBytes(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  auto type = load ? dyn_cast<RankedTensorType>(load.getType()) : RankedTensorType();
  return type ? llvm::divideCeil(type.getNumElements() * tile::getElementType(type).getIntOrFloatBitWidth(), 8) : 0;
}

/// Moves the operations of the region before the branch.
void predicate(scf::IfOp branch, Region &region, ArrayRef<Operation *> moved) {
  OpBuilder builder(branch);
  Value condition = &region == &branch.getThenRegion() ? branch.getCondition() : negate(builder, branch);
  for (Operation *op : moved) {
    op->moveBefore(branch);
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      builder.setInsertionPoint(load);
      load.getMaskMutable().assign(maskBy(builder, load, condition));
    }
  }
}

struct PredicateLoads : impl::PredicateLoadsBase<PredicateLoads> {
  using impl::PredicateLoadsBase<PredicateLoads>::PredicateLoadsBase;

  void runOnOperation() override {
    getOperation()->walk([&](scf::IfOp branch) { // in post-order: inner branches first
      scf::ForOp loop = loopAround(branch);
      for (Region &region : branch->getRegions()) {
        SmallVector<Operation *> moved = operationsToMove(region);
        if (!moved.empty() && loop && stagesOf(loop) > 1 && fits(loop, moved)) {
          predicate(branch, region, moved);
        }
      }
    });
  }

private:
  /// Whether shared memory has room for the loads in all stages, and one more, besides those that every iteration
  /// executes. Loads that stay in branches need one buffer each.
  bool fits(scf::ForOp loop, ArrayRef<Operation *> moved) const {
    int64_t always = 0, sometimes = 0;
    loop->walk([&](tile::LoadOp load) {
      bool isAlways = load->getBlock() == loop.getBody() || llvm::is_contained(moved, load.getOperation());
      (isAlways ? always : sometimes) += loadedBytes(load);
    });
    return always * (stagesOf(loop) + 1) + sometimes <= sharedBytes;
  }

  int64_t stagesOf(scf::ForOp loop) const {
    auto requested = loop->getAttrOfType<IntegerAttr>(tile::TileDialect::kNumStagesAttr);
    return requested ? requested.getInt() : numStages;
  }
};

} // namespace
} // namespace tilewright
