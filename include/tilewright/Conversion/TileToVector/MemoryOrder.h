// Which memory operations may be taken out of program order.

#ifndef TILEWRIGHT_CONVERSION_TILETOVECTOR_MEMORYORDER_H
#define TILEWRIGHT_CONVERSION_TILETOVECTOR_MEMORYORDER_H

#include "tilewright/Analysis/AxisInfo.h"

#include "mlir/IR/Operation.h"

namespace tilewright::cpu {

/// Decides, per pair of operations, whether both may touch the same memory and
/// whether they may share a nest.
class MemoryOrder {
public:
  explicit MemoryOrder(AxisInfoAnalysis &axis) : axis(axis) {}

  /// Whether `op`, or an operation inside it, may write memory.
  static bool writes(mlir::Operation *op);

  /// Whether `op`, or an operation inside it, may touch memory at all.
  static bool touches(mlir::Operation *op);

  /// Whether the order of the two operations matters. At least one writes.
  bool conflict(mlir::Operation *a, mlir::Operation *b) const;

  /// Whether conflicting operations may nevertheless run point by point in one
  /// nest: they use the same tile of pointers, no two of which are equal.
  bool mayShareNest(mlir::Operation *a, mlir::Operation *b) const;

private:
  AxisInfoAnalysis &axis;
};

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CONVERSION_TILETOVECTOR_MEMORYORDER_H
