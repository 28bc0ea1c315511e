#include "Speculation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright::tilegpu {

static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp>(op);
}

bool canRunAhead(Operation *op) { return isSpeculatable(op) || isDivision(op); }

void guardDivision(RewriterBase &rewriter, Operation *op, Value exists) {
  if (!isDivision(op) || isSpeculatable(op)) {
    return;
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value divisor = op->getOperand(1);
  Value one = arith::ConstantOp::create(rewriter, op->getLoc(), rewriter.getOneAttr(divisor.getType()));
  Value safe = arith::SelectOp::create(rewriter, op->getLoc(), exists, divisor, one);
  rewriter.modifyOpInPlace(op, [&] { op->setOperand(1, safe); });
}

} // namespace tilewright::tilegpu
