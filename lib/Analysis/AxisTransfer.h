// Transfer functions of operations, one file per family.

#ifndef TILEWRIGHT_LIB_ANALYSIS_AXISTRANSFER_H
#define TILEWRIGHT_LIB_ANALYSIS_AXISTRANSFER_H

#include "tilewright/Analysis/AxisInfo.h"

#include "mlir/IR/Operation.h"

namespace tilewright::axis {

using Operands = llvm::ArrayRef<const AxisInfo *>;

/// The largest power of two that divides `value`.
int64_t powerOfTwoIn(int64_t value);

/// Facts of the result of `op`; nothing if the operation is not in the family.
std::optional<AxisInfo> transferArith(mlir::Operation *op, Operands operands);
std::optional<AxisInfo> transferTile(mlir::Operation *op, Operands operands);

/// The same for any deterministic elementwise operation: equal operands give equal results.
AxisInfo transferElementwise(mlir::Operation *op, Operands operands);

/// The facts of `src` reshaped in row-major order.
AxisInfo reshape(const AxisInfo &src, mlir::Type srcType, mlir::Type type);

} // namespace tilewright::axis

#endif // TILEWRIGHT_LIB_ANALYSIS_AXISTRANSFER_H
