// speculate-loads: starts loads before a branch if the code after the branch stores to the same addresses. See
// Passes.td.
//
//     %s = scf.if %isFirst {                      %x = tile.load %p mask %m
//       scf.yield %v                              %s = scf.if %isFirst {
//     } else {                                      scf.yield %v
//       %x = tile.load %p mask %m        ->       } else {
//       %sum = arith.addf %v, %x                    %sum = arith.addf %v, %x
//       scf.yield %sum                              scf.yield %sum
//     }                                           }
//     tile.store %p, %s mask %m                   tile.store %p, %s mask %m

#include "tilewright/Dialect/Tile/IR/VolatileLoads.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilewright {
#define GEN_PASS_DEF_SPECULATELOADS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

/// Whether the code after the operation is certainly reached.
bool returns(Operation *op) {
  return op->getNumRegions() == 0 &&
         (isMemoryEffectFree(op) || isa<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(op));
}

bool isPlainLoad(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && !tile::readsEachTime(load);
}

/// Whether another access may be executed before the operation instead of after it.
bool leavesOrder(Operation *op) { return op->getNumRegions() == 0 && (isMemoryEffectFree(op) || isPlainLoad(op)); }

/// Whether a store after the branch, whatever way control took, writes all elements that the load reads. No atomic and
/// no barrier is between them: memory of which another program may write would be a race of the store, too.
bool isStoredAfter(tile::LoadOp load, scf::IfOp branch) {
  for (Operation *op = branch->getNextNode(); op; op = op->getNextNode()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    if (store && store.getPtr() == load.getPtr() && (!store.getMask() || store.getMask() == load.getMask())) {
      return true;
    }
    if (!store && !leavesOrder(op)) {
      return false;
    }
  }
  return false;
}

bool areDefinedOutside(OperandRange operands, scf::IfOp branch) {
  return llvm::none_of(operands,
                       [&](Value operand) { return branch->isAncestor(operand.getParentBlock()->getParentOp()); });
}

/// The loads of the region that may be executed before the branch.
SmallVector<tile::LoadOp> loadsToMove(scf::IfOp branch, Region &region) {
  SmallVector<tile::LoadOp> found;
  if (region.empty()) {
    return found;
  }
  for (Operation &op : region.front().without_terminator()) {
    if (!leavesOrder(&op)) {
      break;
    }
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load && areDefinedOutside(load->getOperands(), branch) && isStoredAfter(load, branch)) {
      found.push_back(load);
    }
  }
  return found;
}

bool returns(Region &region) {
  return region.empty() || llvm::all_of(region.front(), [](Operation &op) { return returns(&op); });
}

struct SpeculateLoads : impl::SpeculateLoadsBase<SpeculateLoads> {
  void runOnOperation() override {
    getOperation()->walk([](scf::IfOp branch) { // in post-order: inner branches first
      Region &then = branch.getThenRegion(), &otherwise = branch.getElseRegion();
      SmallVector<tile::LoadOp> loads;
      if (returns(otherwise)) {
        llvm::append_range(loads, loadsToMove(branch, then));
      }
      if (returns(then)) {
        llvm::append_range(loads, loadsToMove(branch, otherwise));
      }
      for (tile::LoadOp load : loads) {
        load->moveBefore(branch);
      }
    });
  }
};

} // namespace
} // namespace tilewright
