// expand-min-max: expands floating-point minima and maxima to what processors have: an ordered comparison that selects
// the right-hand side if either operand is NaN.
//
//     arith.maxnumf a, b    ->   select (b is NaN), a, (a > b ? a : b)
//     arith.maximumf a, b   ->   select (a is NaN), a, (a == b ? bits of a & bits of b : a > b ? a : b)
//
// The inner select is one instruction, the outer one a mask on it. maxnumf and minnumf may return either of +0 and -0.
// maximumf and minimumf order -0 before +0, which compare equal: equal floats have equal bits unless they are zeros,
// and the AND of the bits of two zeros is +0 if one of them is, the OR is -0 if one of them is.

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

/// The maximum or minimum of two floats that compare equal.
Value combineBits(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  Type bits = b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    bits = shaped.clone(bits);
  }
  Value lhs = arith::BitcastOp::create(b, loc, bits, op->getOperand(0));
  Value rhs = arith::BitcastOp::create(b, loc, bits, op->getOperand(1));
  Value combined = isMaximum(op) ? arith::AndIOp::create(b, loc, lhs, rhs).getResult()
                                 : arith::OrIOp::create(b, loc, lhs, rhs).getResult();
  return arith::BitcastOp::create(b, loc, type, combined);
}

Value expand(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  auto order = isMaximum(op) ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Value left = arith::CmpFOp::create(b, loc, order, lhs, rhs);
  Value picked = arith::SelectOp::create(b, loc, left, lhs, rhs);
  if (propagatesNaN(op)) {
    Value equal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, lhs, rhs);
    picked = arith::SelectOp::create(b, loc, equal, combineBits(b, op), picked);
  }
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
