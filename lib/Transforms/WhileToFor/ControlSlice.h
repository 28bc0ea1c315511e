// Computes what decides when a loop ends outside of the loop.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_CONTROLSLICE_H
#define TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_CONTROLSLICE_H

#include "tilewright/Analysis/LoopControl.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright {

/// Copies of the operations that a value in the loop is computed from, without branches: scf.if becomes arith.select.
/// Requires that the loop has no obstacle.
class ControlSlice {
public:
  ControlSlice(const LoopControl &control, mlir::OpBuilder &builder) : control(control), builder(builder) {}

  /// What the copies use in place of a value of the loop.
  void replace(mlir::Value value, mlir::Value by) { copies.map(value, by); }

  mlir::Value emit(mlir::Value value);

private:
  const LoopControl &control;
  mlir::OpBuilder &builder;
  mlir::IRMapping copies;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_CONTROLSLICE_H
