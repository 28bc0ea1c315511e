// Whether two pointers may reach the same memory.

#ifndef TILEWRIGHT_ANALYSIS_MAYALIAS_H
#define TILEWRIGHT_ANALYSIS_MAYALIAS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tilewright {

/// The arguments of the function that a pointer may be derived from, through arithmetic, choices and control flow. A
/// pointer that alternates between two arrays in a loop has two.
struct PointerRoots {
  llvm::SmallPtrSet<mlir::Value, 2> arguments;
  /// False where the pointer may also come out of memory, an integer, or an operation that the search does not follow.
  bool isComplete = true;
};

PointerRoots findPointerRoots(mlir::Value pointer);

/// Whether the memory behind the two pointers, or tiles of pointers, may overlap. It does not where all that the one
/// may be derived from differs from all that the other may, and all of it is marked `tile.noalias`.
bool mayAlias(mlir::Value left, mlir::Value right);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_MAYALIAS_H
