// Determines which memory a kernel only reads.

#ifndef TILEWRIGHT_ANALYSIS_READONLYMEMORY_H
#define TILEWRIGHT_ANALYSIS_READONLYMEMORY_H

#include "tilewright/Analysis/MayAlias.h"

#include "mlir/IR/Operation.h"

namespace tilewright {

/// Memory that no program of a launch writes. The order of its loads never matters, not even relative to barriers and
/// atomics that order other accesses.
class ReadOnlyMemory {
public:
  /// Collects the writes of a function after inlining.
  explicit ReadOnlyMemory(mlir::Operation *function);

  /// Whether none of the writes may alias the pointer, or tile of pointers. As all programs of a launch run the same
  /// kernel, and `mayAlias` reasons about the launch's arguments, this holds for the writes of all programs.
  bool contains(mlir::Value pointer) const { return contains(findPointerRoots(pointer)); }
  bool contains(const PointerRoots &pointer) const { return !isWritten || !mayAlias(written, pointer); }

private:
  bool isWritten = false; ///< anything at all
  PointerRoots written;
};

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_READONLYMEMORY_H
