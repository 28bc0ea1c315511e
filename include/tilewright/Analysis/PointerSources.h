// Which of a kernel's arguments a pointer may come from.

#ifndef TILEWRIGHT_ANALYSIS_POINTERSOURCES_H
#define TILEWRIGHT_ANALYSIS_POINTERSOURCES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

struct PointerSources {
  /// Arguments of the function.
  llvm::SetVector<mlir::BlockArgument> arguments;
  /// Whether there are no other sources, such as an integer cast to a pointer or a loaded pointer.
  bool isComplete = true;
};

/// The sources that a pointer, or a tile of pointers, may be derived from on any path.
PointerSources findPointerSources(mlir::Value pointer);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_POINTERSOURCES_H
