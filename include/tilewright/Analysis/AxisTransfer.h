// Axis properties of the results of operations.

#ifndef TILEWRIGHT_ANALYSIS_AXISTRANSFER_H
#define TILEWRIGHT_ANALYSIS_AXISTRANSFER_H

#include "tilewright/Analysis/AxisInfo.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"

#include "tilewright/Analysis/AxisTransfer.h.inc"

namespace tilewright {

/// Attaches the models of AxisTransferOpInterface to operations of arith and of the tile dialect.
void registerAxisTransfer(mlir::DialectRegistry &registry);

namespace axis {

using Operands = llvm::ArrayRef<const AxisInfo *>;

/// The largest power of two that divides `value`.
int64_t powerOfTwoIn(int64_t value);

/// The properties of the results of `op`, by its model or the default.
AxisInfo transfer(mlir::Operation *op, Operands operands, mlir::Type type);

/// The properties of the result of a deterministic elementwise operation: equal operands give equal results.
AxisInfo transferElementwise(mlir::Operation *op, Operands operands);

/// The properties of `src` reshaped in row-major order.
AxisInfo reshape(const AxisInfo &src, mlir::Type srcType, mlir::Type type);

void attachArithTransfer(mlir::MLIRContext *context);
void attachTileTransfer(mlir::MLIRContext *context);

} // namespace axis
} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_AXISTRANSFER_H
