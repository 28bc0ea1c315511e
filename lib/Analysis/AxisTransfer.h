// What each operation tells of its result, one file per family of operations.

#ifndef TILEWRIGHT_LIB_ANALYSIS_AXISTRANSFER_H
#define TILEWRIGHT_LIB_ANALYSIS_AXISTRANSFER_H

#include "tilewright/Analysis/AxisInfo.h"

#include "mlir/IR/Operation.h"

namespace tilewright::axis {

using Operands = llvm::ArrayRef<const AxisInfo *>;

/// The largest power of two that divides `value`.
int64_t powerOfTwoIn(int64_t value);

/// Facts of the result of `op`; nothing if the family does not know the operation.
std::optional<AxisInfo> transferArith(mlir::Operation *op, Operands operands);
std::optional<AxisInfo> transferTile(mlir::Operation *op, Operands operands);

/// The same for any operation that maps elements to elements, deterministically:
/// equal operands give equal results.
AxisInfo transferElementwise(mlir::Operation *op, Operands operands);

/// `src` under another shape, in row-major order.
AxisInfo reshape(const AxisInfo &src, mlir::Type srcType, mlir::Type type);

} // namespace tilewright::axis

#endif // TILEWRIGHT_LIB_ANALYSIS_AXISTRANSFER_H
