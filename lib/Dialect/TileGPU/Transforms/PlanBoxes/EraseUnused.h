// Removing what copies of boxes no longer need.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_ERASEUNUSED_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_ERASEUNUSED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tilegpu {

/// Erases those of the operations that have no uses and no effects, and what only they used.
void eraseUnused(llvm::SmallVector<mlir::Operation *> todo);

/// Erases buffers that nothing reads any more, such as those by which masks got another layout, and what was stored to
/// them.
void eraseUnreadBuffers(mlir::func::FuncOp function);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_ERASEUNUSED_H
