// Which memory a kernel only reads.

#ifndef TILEWRIGHT_ANALYSIS_READONLYMEMORY_H
#define TILEWRIGHT_ANALYSIS_READONLYMEMORY_H

#include "mlir/IR/Operation.h"

namespace tilewright {

/// Memory that no program of a launch writes: the order of its loads never matters, not even against barriers and
/// atomics that order everything else.
class ReadOnlyMemory {
public:
  /// Collects the writes of a function into which all others are inlined.
  explicit ReadOnlyMemory(mlir::Operation *function);

  /// Whether none of the writes may reach what the pointer, or tile of pointers, reaches. All programs of a launch run
  /// the same kernel, and `mayAlias` speaks of the launch's arguments, so this holds for the writes of all programs.
  bool contains(mlir::Value pointer) const;

private:
  llvm::SmallVector<mlir::Value> written;
};

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_READONLYMEMORY_H
