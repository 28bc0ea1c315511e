// Whether two pointers may reach the same memory.

#ifndef TILEWRIGHT_ANALYSIS_MAYALIAS_H
#define TILEWRIGHT_ANALYSIS_MAYALIAS_H

#include "mlir/IR/Value.h"

namespace tilewright {

/// The pointer that an address is derived from: a function's argument, or null where
/// it came out of memory or an integer.
mlir::Value findPointerRoot(mlir::Value pointer);

/// Whether the memory behind the two pointers, or tiles of pointers, may overlap. It does not where they
/// are derived from different arguments marked `tile.noalias`.
bool mayAlias(mlir::Value left, mlir::Value right);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_MAYALIAS_H
