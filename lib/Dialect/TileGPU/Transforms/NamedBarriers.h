// Barriers in hardware other than the one of all threads.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_NAMEDBARRIERS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_NAMEDBARRIERS_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright::tilegpu {

/// Whether assembly or a library of the user may use barriers.
bool mayUseNamedBarriers(mlir::ModuleOp module);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_NAMEDBARRIERS_H
