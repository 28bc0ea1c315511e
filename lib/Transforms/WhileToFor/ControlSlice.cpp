#include "ControlSlice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright {

Value ControlSlice::emit(Value value) {
  value = control.throughCondition(value);
  if (Value known = copies.lookupOrNull(value)) {
    return known;
  }
  Operation *op = value.getDefiningOp();
  if (!op || !control.isInside(value)) {
    return value;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    Value condition = emit(branch.getCondition()), first = emit(branch.thenYield()->getOperand(index)),
          second = emit(branch.elseYield()->getOperand(index));
    copies.map(value, arith::SelectOp::create(builder, op->getLoc(), condition, first, second).getResult());
  } else {
    for (Value operand : op->getOperands()) {
      copies.map(operand, emit(operand));
    }
    builder.clone(*op, copies);
  }
  return copies.lookup(value);
}

} // namespace tilewright
