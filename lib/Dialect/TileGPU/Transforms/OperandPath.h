// The path of a dot's operand from shared memory into registers:
//
//     %x = local_load %b            the start of the path
//     %y = trans %x, extf %y, ...   cheap operations of each thread on its part
//     mma %y, ...

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OPERANDPATH_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OPERANDPATH_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

/// Whether the operation is a cheap one that each thread applies to its part of one tile: elementwise, trans, reshape.
bool isCheapUnary(mlir::Operation *op);

/// Whether dots of warps use the tile as an operand, directly or after conversions and operations in which each thread
/// computes its part, and nothing else uses it.
bool isForOperandsOnly(mlir::Value tile);

/// The operations from the local_load to the definition of `operand`, in order, each with no other use; empty if
/// `operand` comes from elsewhere or from outside of `block`.
llvm::SmallVector<mlir::Operation *> pathFromShared(mlir::Value operand, mlir::Block *block);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OPERANDPATH_H
