// Which of a kernel's arguments a pointer may come from.

#ifndef TILEWRIGHT_ANALYSIS_POINTERSOURCES_H
#define TILEWRIGHT_ANALYSIS_POINTERSOURCES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

struct PointerSources {
  /// Arguments of the function.
  llvm::SetVector<mlir::BlockArgument> arguments;
  /// Whether it comes from nothing else: no integer that was cast, no pointer that was loaded.
  bool isComplete = true;
};

/// What a pointer, or a tile of pointers, may be derived from on any path.
PointerSources findPointerSources(mlir::Value pointer);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_POINTERSOURCES_H
