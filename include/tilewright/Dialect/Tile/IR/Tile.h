// The tile dialect: types, attributes and operations.

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILE_H
#define TILEWRIGHT_DIALECT_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tilewright/Dialect/Tile/IR/TileDialect.h.inc"
#include "tilewright/Dialect/Tile/IR/TileEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tilewright/Dialect/Tile/IR/TileTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tilewright/Dialect/Tile/IR/TileAttrs.h.inc"

namespace tilewright::tile {
/// How an operation accesses the memory behind its pointers.
enum class AccessKind { Load, Store, Atomic };
} // namespace tilewright::tile

namespace tilewright::tile::detail {
/// Verifies that the attributes of an access about its addresses have a power of two for each dimension.
mlir::LogicalResult verifyMemoryAccess(mlir::Operation *op);
} // namespace tilewright::tile::detail

#include "tilewright/Dialect/Tile/IR/TileInterfaces.h.inc"

namespace tilewright::tile {

/// The memory accessed through pointers.
struct Memory : mlir::SideEffects::Resource::Base<Memory> {
  llvm::StringRef getName() final { return "tile.memory"; }
};

/// The destination of prints, whose order relative to memory accesses does not matter.
struct Console : mlir::SideEffects::Resource::Base<Console> {
  llvm::StringRef getName() final { return "tile.console"; }
};

/// The result has the same elements as the operand, so that all that is known about the operand holds for the result.
template <typename ConcreteType> struct SameValues : mlir::OpTrait::TraitBase<ConcreteType, SameValues> {};

/// Whether the types are the same except for the encodings of tiles, which are their layouts.
bool areSameUpToEncoding(mlir::TypeRange left, mlir::TypeRange right);

} // namespace tilewright::tile

#define GET_OP_CLASSES
#include "tilewright/Dialect/Tile/IR/TileOps.h.inc"

namespace tilewright::tile {

/// The type of memory behind a pointer: `f32` for `!tile.ptr<f32>` and
/// `tensor<4xf32>` for `tensor<4x!tile.ptr<f32>>`.
mlir::Type getPointeeType(mlir::Type pointerLike);

/// `type` itself for a scalar, the element type for a tile.
mlir::Type getElementType(mlir::Type type);

/// Looks through `tile.hint` operations.
mlir::Value withoutHints(mlir::Value value);

/// The shape of a tile; empty for a scalar.
llvm::ArrayRef<int64_t> getShape(mlir::Type type);

/// `type` with another element type and the same shape.
mlir::Type withElementType(mlir::Type type, mlir::Type element);

/// Verifies that combiners of reductions and scans, including the functions they call, operate on scalars and do not
/// access memory: how often they are executed, and for which elements, depends on the target. Emits an error on the
/// offending operation.
mlir::LogicalResult verifyCombiners(mlir::ModuleOp module);

/// The first position in a file in the location; null if there is none.
mlir::FileLineColLoc findPosition(mlir::Location loc);

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_TILE_H
