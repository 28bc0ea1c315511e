// expand-min-max: expands floating-point minima and maxima to what processors have: an ordered comparison that selects
// the right-hand side if either operand is NaN.
//
//     arith.maxnumf a, b    ->   select (b is NaN), a, (a > b ? a : b)
//     arith.maximumf a, b   ->   select (a is NaN), a, (a > b ? a : b)
//
// The inner select is one instruction, the outer one a mask on it. The result for +0 and -0 may be either, as in the
// language.

#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright {
#define GEN_PASS_DEF_EXPANDMINMAX
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

bool isMaximum(Operation *op) { return isa<arith::MaxNumFOp, arith::MaximumFOp>(op); }
bool propagatesNaN(Operation *op) { return isa<arith::MaximumFOp, arith::MinimumFOp>(op); }

Value expand(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  auto order = isMaximum(op) ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Value left = arith::CmpFOp::create(b, loc, order, lhs, rhs);
  Value picked = arith::SelectOp::create(b, loc, left, lhs, rhs);
  // If either operand is NaN, `picked` is the right-hand side, which is wrong only if this operand is NaN.
  Value doubtful = propagatesNaN(op) ? lhs : rhs;
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, doubtful, doubtful);
  return arith::SelectOp::create(b, loc, isNaN, lhs, picked);
}

struct ExpandMinMax : impl::ExpandMinMaxBase<ExpandMinMax> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<arith::MaxNumFOp, arith::MaximumFOp, arith::MinNumFOp, arith::MinimumFOp>(op)) {
        OpBuilder b(op);
        op->getResult(0).replaceAllUsesWith(expand(b, op));
        op->erase();
      }
    });
  }
};

} // namespace
} // namespace tilewright
