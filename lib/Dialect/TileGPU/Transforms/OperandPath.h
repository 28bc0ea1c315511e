// The way of a product's operand from shared memory into registers:
//
//     %x = local_load %b            its beginning
//     %y = trans %x, extf %y, ...   what each thread does to its part for next to nothing
//     mma %y, ...

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OPERANDPATH_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OPERANDPATH_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

/// An operation that each thread does to its part of one tile for next to nothing: elementwise, trans, reshape.
bool isCheapUnary(mlir::Operation *op);

/// From the local_load to what `operand` is, in order, each only there for the next; empty where it comes from
/// elsewhere or from outside of `block`.
llvm::SmallVector<mlir::Operation *> pathFromShared(mlir::Value operand, mlir::Block *block);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OPERANDPATH_H
