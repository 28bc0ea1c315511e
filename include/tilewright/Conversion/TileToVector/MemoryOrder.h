// Which memory operations may be reordered.

#ifndef TILEWRIGHT_CONVERSION_TILETOVECTOR_MEMORYORDER_H
#define TILEWRIGHT_CONVERSION_TILETOVECTOR_MEMORYORDER_H

#include "tilewright/Analysis/AxisInfo.h"

#include "mlir/IR/Operation.h"

namespace tilewright::cpu {

/// Determines whether two operations may access the same memory and whether they may share a nest.
class MemoryOrder {
public:
  explicit MemoryOrder(AxisInfoAnalysis &axis) : axis(axis) {}

  /// Whether `op`, or an operation inside it, may write memory.
  static bool writes(mlir::Operation *op);

  /// Whether `op`, or an operation inside it, may access memory.
  static bool touches(mlir::Operation *op);

  /// Whether the order of the two operations matters: they may alias and at least one writes.
  bool conflict(mlir::Operation *a, mlir::Operation *b) const;

  /// Whether conflicting operations may nevertheless share a nest: they use the same pointer tile, whose pointers are
  /// all different.
  bool mayShareNest(mlir::Operation *a, mlir::Operation *b) const;

private:
  AxisInfoAnalysis &axis;
};

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CONVERSION_TILETOVECTOR_MEMORYORDER_H
