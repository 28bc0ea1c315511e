// Encodings of tiles whose shape an operation changes.

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEENCODING_H
#define TILEWRIGHT_DIALECT_TILE_IR_TILEENCODING_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "tilewright/Dialect/Tile/IR/TileEncoding.h.inc"

namespace tilewright::tile {

/// The type of `src` broadcast to a shape. If `src` has an encoding, that determines the result's, or has to fit
/// `encoding` if that is given. Fails with an error at `loc`.
mlir::FailureOr<mlir::RankedTensorType> inferBroadcastType(mlir::Location loc, mlir::RankedTensorType src,
                                                           llvm::ArrayRef<int64_t> shape,
                                                           mlir::Attribute encoding = {});

/// The type of `src` in another shape, with the encoding that follows. Fails with an error at `loc`.
mlir::FailureOr<mlir::RankedTensorType> inferReshapeType(mlir::Location loc, mlir::RankedTensorType src,
                                                         llvm::ArrayRef<int64_t> shape);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILEENCODING_H
