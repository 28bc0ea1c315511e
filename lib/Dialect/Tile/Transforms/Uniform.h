// Tiles whose elements are all equal.

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_UNIFORM_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_UNIFORM_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tilewright::tile {

/// Whether `value` is a `tile.splat` or a splat constant.
bool isUniform(mlir::Value value);

/// The scalar of a uniform tile. For a constant tile, creates a scalar constant at the insertion point.
mlir::Value getUniformScalar(mlir::OpBuilder &builder, mlir::Value value);

/// The uniform `value` in the shape, and with the encoding, of another tile.
mlir::Value resizeUniform(mlir::OpBuilder &builder, mlir::Value value, mlir::RankedTensorType like);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_UNIFORM_H
