// The tilegpu dialect: layouts, buffers in shared memory, and operations.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPU_H
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPU_H

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Hardware/Nvidia.h"
#include "tilewright/Layout/LinearLayout.h"

#include "mlir/IR/TensorEncoding.h"

#include "llvm/ADT/Hashing.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPUDialect.h.inc"

namespace tilewright::layout {
/// So that a layout can be an attribute's parameter.
llvm::hash_code hash_value(const LinearLayout &layout);
} // namespace tilewright::layout

#define GET_ATTRDEF_CLASSES
#include "tilewright/Dialect/TileGPU/IR/TileGPUAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tilewright/Dialect/TileGPU/IR/TileGPUTypes.h.inc"

namespace tilewright::tilegpu {

/// The memory that the threads of a program share.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "tilegpu.shared"; }
};

} // namespace tilewright::tilegpu

#define GET_OP_CLASSES
#include "tilewright/Dialect/TileGPU/IR/TileGPUOps.h.inc"

namespace tilewright::tilegpu {

/// The layout of a tile, null for a scalar or a tile that has none yet.
LayoutAttr getLayout(mlir::Type type);
inline LayoutAttr getLayout(mlir::Value value) { return getLayout(value.getType()); }

/// The map of a tile that has a layout.
const layout::LinearLayout &mapOf(mlir::Type type);
inline const layout::LinearLayout &mapOf(mlir::Value value) { return mapOf(value.getType()); }

/// The tile in another layout; scalars stay as they are.
mlir::Type withLayout(mlir::Type type, LayoutAttr layout);
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const layout::LinearLayout &map);

/// Bytes of an element in memory: i1 takes one, a pointer eight.
int64_t bytesOf(mlir::Type element);

/// What the module around the operation is compiled for. The module has been
/// checked by `assign-layouts` before anything asks.
int numWarps(mlir::Operation *op);
int numStages(mlir::Operation *op);
const hardware::NvidiaInfo &targetOf(mlir::Operation *op);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPU_H
