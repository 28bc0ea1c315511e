// insert-barriers: inserts barriers between conflicting memory accesses. See Passes.td.
//
//     local_store %x, %b                     local_store %x, %b
//                                            barrier
//     %y = local_load %b             =       %y = local_load %b
//     local_store %y, %c                     local_store %y, %c
//     %z = local_load %b                     %z = local_load %b

#include "Races.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_INSERTBARRIERS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

/// As late as possible, so that one barrier separates many accesses, but outside of loops that do not contain the first
/// access.
static Operation *placeBetween(const Race &race) {
  Operation *place = race.second;
  for (Operation *around = place->getParentOp(); !around->isAncestor(race.first); around = around->getParentOp()) {
    place = isa<LoopLikeOpInterface>(around) ? around : place;
  }
  return place;
}

static SmallVector<BarrierOp> separateAll(RaceAnalysis &races) {
  SmallVector<BarrierOp> barriers;
  while (std::optional<Race> race = races.find()) {
    OpBuilder builder(placeBetween(*race));
    barriers.push_back(BarrierOp::create(builder, race->second->getLoc()));
  }
  return barriers;
}

static int loopDepth(Operation *op) {
  int depth = 0;
  for (Operation *around = op->getParentOp(); around; around = around->getParentOp()) {
    depth += isa<LoopLikeOpInterface>(around);
  }
  return depth;
}

/// Removes barriers that later ones made redundant, starting with those in the innermost loops.
static void removeRedundant(RaceAnalysis &races, SmallVector<BarrierOp> barriers) {
  llvm::stable_sort(barriers, [](BarrierOp a, BarrierOp b) { return loopDepth(a) > loopDepth(b); });
  for (BarrierOp barrier : barriers) {
    Operation *next = barrier->getNextNode();
    barrier->remove();
    if (races.find()) {
      next->getBlock()->getOperations().insert(Block::iterator(next), barrier);
    } else {
      barrier->destroy();
    }
  }
}

namespace {
class InsertBarriers : public tilegpu::impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      RaceAnalysis races(function);
      removeRedundant(races, separateAll(races));
    }
  }
};
} // namespace
