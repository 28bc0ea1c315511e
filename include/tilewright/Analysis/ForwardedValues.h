// Values that control flow forwards to other values.

#ifndef TILEWRIGHT_ANALYSIS_FORWARDEDVALUES_H
#define TILEWRIGHT_ANALYSIS_FORWARDEDVALUES_H

#include "mlir/IR/Value.h"

namespace tilewright {

/// Whether `value` is a result of an operation with control flow, or an argument of one of its regions.
bool isForwarded(mlir::Value value);

/// The values that control flow forwards to such a value: for an argument of a loop, its initial value and what the
/// loop yields for it. None if the operation itself defines the value, such as an induction variable.
llvm::SmallVector<mlir::Value> valuesForwardedTo(mlir::Value value);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_FORWARDEDVALUES_H
