// What a tile is before and after padding.

#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PAD_INSIDE_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PAD_INSIDE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tilewright::tile {

/// Each size rounded up to a power of two.
llvm::SmallVector<int64_t> padded(llvm::ArrayRef<int64_t> sizes);

/// The tile type with each size rounded up to a power of two; other types are unchanged.
mlir::Type padded(mlir::Type type);

/// Whether the type is a tile with a size that is not a power of two.
inline bool needsPadding(mlir::Type type) { return padded(type) != type; }

/// A tile of i1 of the padded shape that is true at the elements of a tile of shape `sizes`, or, with `axis`, at
/// positions inside along that dimension. Null if all are.
mlir::Value isInside(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> sizes,
                     std::optional<int64_t> axis = std::nullopt);

/// `value` where `inside` is true, and a constant elsewhere; `value` itself if `inside` is null.
mlir::Value selectInside(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value inside, mlir::Value value,
                         mlir::Attribute outside);

/// A tile of i32 of the padded shape with each element's position along a dimension.
mlir::Value positionsAlong(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> paddedSizes,
                           int64_t axis);

/// A tile with every element equal to `value`.
mlir::Value splatConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                          mlir::Attribute value);

/// A tile of i32 with every element equal to `value`.
mlir::Value splatInteger(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> shape, int64_t value);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_PAD_INSIDE_H
