#include "tilewright/Analysis/AxisTransfer.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "tilewright/Analysis/AxisTransfer.cpp.inc"

using namespace mlir;
using namespace tilewright;

AxisInfo axis::transferElementwise(Operation *op, Operands operands) {
  Type type = op->getResult(0).getType();
  SmallVector<AxisProperties> properties(AxisInfo::unknown(type).getProperties());
  for (auto [dim, fact] : llvm::enumerate(properties)) {
    fact.constancy = AxisInfo::kMaxDivisibility;
    for (auto [operand, info] : llvm::zip_equal(op->getOperands(), operands)) {
      if (isa<TensorType>(operand.getType())) {
        fact.constancy = std::min(fact.constancy, info->getConstancy(dim));
      }
    }
  }
  return AxisInfo(type, properties);
}

AxisInfo axis::transfer(Operation *op, Operands operands, Type type) {
  if (op->hasTrait<tile::SameValues>()) {
    return *operands[0];
  }
  if (auto model = dyn_cast<AxisTransferOpInterface>(op)) {
    return model.transferAxisProperties(operands).value_or(AxisInfo::unknown(type));
  }
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1;
  return isElementwise ? transferElementwise(op, operands) : AxisInfo::unknown(type);
}

void tilewright::registerAxisTransfer(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) { axis::attachArithTransfer(context); });
  registry.addExtension(+[](MLIRContext *context, tile::TileDialect *) { axis::attachTileTransfer(context); });
}
