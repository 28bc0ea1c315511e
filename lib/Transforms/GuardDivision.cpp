// guard-division: keeps integer divisions from undefined behavior. A kernel may divide by zero, or compute the signed
// quotient that overflows, in elements that are masked out. A host traps on either, and on all targets LLVM concludes
// that neither happens, so that it would drop the mask `d != 0` after a division by d. These elements are divided by
// one instead:
//
//     %q = arith.divsi %a, %b        %zero  = %b == 0
//                                    %wraps = %a == MIN and %b == -1
//                                    %safe  = select (%zero or %wraps), 1, %b
//                                    %q = arith.divsi %a, %safe
//
// So MIN / -1 is MIN and MIN % -1 is 0, as in wrapping arithmetic; x / 0 and x % 0 are unspecified values.

#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

namespace tilewright {
#define GEN_PASS_DEF_GUARDDIVISION
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

bool isSigned(Operation *op) { return isa<arith::DivSIOp, arith::RemSIOp>(op); }

/// Whether the divisor is a constant with which no dividend traps.
bool isSafeDivisor(Operation *op) {
  APInt divisor;
  if (!matchPattern(op->getOperand(1), m_ConstantInt(&divisor))) {
    return false;
  }
  return !divisor.isZero() && !(isSigned(op) && divisor.isAllOnes());
}

void guard(OpBuilder &b, Operation *op) {
  b.setInsertionPoint(op);
  Location loc = op->getLoc();
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  Type type = rhs.getType();
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto equals = [&](Value value, const APInt &number) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value,
                                 createScalarOrSplatConstant(b, loc, type, number));
  };
  Value traps = equals(rhs, APInt::getZero(bits));
  if (isSigned(op)) {
    Value least = equals(lhs, APInt::getSignedMinValue(bits)), negated = equals(rhs, APInt::getAllOnes(bits));
    traps = arith::OrIOp::create(b, loc, traps, arith::AndIOp::create(b, loc, least, negated));
  }
  Value one = createScalarOrSplatConstant(b, loc, type, APInt(bits, 1));
  op->setOperand(1, arith::SelectOp::create(b, loc, traps, one, rhs));
}

struct GuardDivision : impl::GuardDivisionBase<GuardDivision> {
  void runOnOperation() override {
    SmallVector<Operation *> divisions;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) && !isSafeDivisor(op) &&
          !op->hasAttr("tile.safe_division")) {
        divisions.push_back(op);
      }
    });
    OpBuilder b(&getContext());
    for (Operation *op : divisions) {
      guard(b, op);
    }
  }
};

} // namespace
} // namespace tilewright
