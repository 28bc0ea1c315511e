// Conditions on the iterations of a loop.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_ITERATIONS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_ITERATIONS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// Whether a loop has an iteration.
mlir::Value hasAny(mlir::OpBuilder &builder, mlir::Location loc, mlir::scf::ForOp loop);

/// Whether a loop has an iteration after the one with this index. The difference is exact without a sign.
mlir::Value hasNext(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index, mlir::scf::ForOp loop);

/// Whether the iteration is not the loop's first one; in its body.
mlir::Value isNotFirst(mlir::OpBuilder &builder, mlir::Location loc, mlir::scf::ForOp loop);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_ITERATIONS_H
