// The functions that kernels call by tile.call, in an order for passes over several functions.

#ifndef TILEWRIGHT_DIALECT_TILE_IR_CALLS_H
#define TILEWRIGHT_DIALECT_TILE_IR_CALLS_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tilewright::tile {

/// The function that the operation calls.
mlir::FunctionOpInterface calleeOf(CallOp call);

/// The functions of the module that have a body, each after all functions that call it. There is no recursion.
llvm::SmallVector<mlir::FunctionOpInterface> callersFirst(mlir::ModuleOp module);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_CALLS_H
