// Alias analysis of pointers.

#ifndef TILEWRIGHT_ANALYSIS_MAYALIAS_H
#define TILEWRIGHT_ANALYSIS_MAYALIAS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <memory>

namespace tilewright {

/// The function arguments that a pointer may be derived from, through arithmetic, selects and control flow. A pointer
/// that alternates between two arrays in a loop has two.
struct PointerRoots {
  llvm::SmallPtrSet<mlir::Value, 2> arguments;
  /// False if the pointer may also come from memory, an integer, or an operation that the search does not follow.
  bool isComplete = true;

  void merge(const PointerRoots &other);
};

PointerRoots findPointerRoots(mlir::Value pointer);

/// Whether the memory accessed through two pointers, or tiles of pointers, may overlap. It does not if their roots are
/// disjoint and complete, and all of them have `tile.noalias`.
bool mayAlias(mlir::Value left, mlir::Value right);
bool mayAlias(const PointerRoots &left, const PointerRoots &right);

/// Remembers the roots of all pointers that were asked for and of those between them and the roots, so that the time
/// for a chain of pointers, each derived from the one before, grows linearly with its length.
class PointerRootsCache {
public:
  const PointerRoots &find(mlir::Value pointer);

private:
  llvm::DenseMap<mlir::Value, std::shared_ptr<const PointerRoots>> roots;
};

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_MAYALIAS_H
