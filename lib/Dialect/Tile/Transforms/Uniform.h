// Tiles all elements of which are one scalar.

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_UNIFORM_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_UNIFORM_H

#include "mlir/IR/Builders.h"

namespace tilewright::tile {

/// `value` is a `tile.splat` or a constant with equal elements.
bool isUniform(mlir::Value value);

/// The scalar of a uniform tile; a constant is made at the insertion point.
mlir::Value getUniformScalar(mlir::OpBuilder &builder, mlir::Value value);

/// The uniform `value` under another shape.
mlir::Value resizeUniform(mlir::OpBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> shape);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_UNIFORM_H
