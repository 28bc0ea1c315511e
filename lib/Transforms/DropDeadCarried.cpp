// drop-dead-carried: loops stop to compute values that nothing uses. See Passes.td.
//
//     %r = scf.for iter_args(%m = %init)              %r = scf.for iter_args(%m = %init)
//       %x = maximumf %m, %y                    =       %x = maximumf %m, %y
//       scf.yield %x                                    scf.yield %m
//     // nothing uses %r                              // the canonicalizer removes %m, and then %x

#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright {
#define GEN_PASS_DEF_DROPDEADCARRIED
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

/// Whether all that is computed from the loop's argument `number` is the argument's value in the next iteration.
static bool onlyFeedsItself(scf::ForOp loop, unsigned number) {
  llvm::SetVector<Value> reached;
  reached.insert(loop.getRegionIterArg(number));
  for (size_t i = 0; i < reached.size(); ++i) {
    for (OpOperand &use : reached[i].getUses()) {
      Operation *user = use.getOwner();
      if (user->getBlock() != loop.getBody()) {
        return false;
      }
      if (isa<scf::YieldOp>(user)) {
        if (use.getOperandNumber() != number) {
          return false;
        }
        continue;
      }
      if (!isMemoryEffectFree(user)) {
        return false;
      }
      reached.insert_range(user->getResults());
    }
  }
  return true;
}

namespace {
class DropDeadCarried : public tilewright::impl::DropDeadCarriedBase<DropDeadCarried> {
  void runOnOperation() override {
    getOperation()->walk([](scf::ForOp loop) {
      for (unsigned number = 0; number < loop.getNumResults(); ++number) {
        if (loop.getResult(number).use_empty() && onlyFeedsItself(loop, number)) {
          loop.getBody()->getTerminator()->setOperand(number, loop.getRegionIterArg(number));
        }
      }
    });
  }
};
} // namespace
