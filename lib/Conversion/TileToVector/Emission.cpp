#include "Emitter.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "tilewright/Conversion/TileToVector/Emission.cpp.inc"

using namespace mlir;

namespace tilewright::cpu {

Placement getPlacement(Operation *op) {
  if (auto model = dyn_cast<EmissionOpInterface>(op)) {
    return model.getPlacement();
  }
  bool isOnTiles = op->getNumResults() > 0 && isTile(op->getResult(0));
  return isOnTiles && op->hasTrait<OpTrait::Elementwise>() ? Placement::Lazy : Placement::Materialized;
}

OperandUse getOperandUse(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    return OperandUse::Copied;
  }
  auto model = dyn_cast<EmissionOpInterface>(op);
  return model ? model.getOperandUse(operand) : OperandUse::AtPoints;
}

void registerEmission(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tile::TileDialect *) {
    attachElementwise(context);
    attachShapes(context);
    attachMemory(context);
    attachAtomics(context);
    attachReductions(context);
    attachScans(context);
    attachMap(context);
    attachLibraries(context);
    attachDot(context);
    attachPoll(context);
    attachPrint(context);
    attachPrograms(context);
    attachCalls(context);
  });
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) { attachArith(context); });
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) { attachControlFlow(context); });
}

} // namespace tilewright::cpu
