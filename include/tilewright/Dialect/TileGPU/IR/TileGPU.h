// The tilegpu dialect: layouts, buffers in shared memory, and operations.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPU_H
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPU_H

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Hardware/Gpu.h"
#include "tilewright/Layout/LinearLayout.h"

#include "mlir/IR/TensorEncoding.h"

#include "llvm/ADT/Hashing.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPUDialect.h.inc"

namespace tilewright::layout {
/// Makes a layout usable as an attribute parameter.
// NOLINTNEXTLINE(readability-identifier-naming): LLVM finds it by this name
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

/// The layout of a tile; null for a scalar or a tile without a layout.
LayoutAttr getLayout(mlir::Type type);
inline LayoutAttr getLayout(mlir::Value value) { return getLayout(value.getType()); }

/// The map of a tile that has a layout.
const layout::LinearLayout &mapOf(mlir::Type type);
inline const layout::LinearLayout &mapOf(mlir::Value value) { return mapOf(value.getType()); }

/// The type with another layout; scalar types are returned unchanged.
mlir::Type withLayout(mlir::Type type, LayoutAttr layout);
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const layout::LinearLayout &map);

/// Sets the layout of a tile; that of a constant is also part of its value's type.
void setLayout(mlir::Value tile, LayoutAttr layout);

/// The size of an element in memory, in bytes: one for i1, eight for a pointer.
int64_t bytesOf(mlir::Type element);

/// The registers of 32 bits with a thread's elements of a tile; 0 for a value that is not in registers, or no tile.
int64_t registersOf(mlir::Value value);

/// The target options of the module around the operation, which `assign-layouts` has checked.
int numWarps(mlir::Operation *op);
int defaultNumStages(mlir::Operation *op);
const hardware::GpuInfo &targetOf(mlir::Operation *op);

/// The threads of a program.
struct Threads {
  int lanes; ///< per warp
  int warps;

  int count() const { return lanes * warps; }
};

/// The threads that hold tiles.
Threads threadsOf(mlir::Operation *op);
/// The threads of a launch's program: these, and those of the warps that `specialize-warps` adds.
Threads launchedThreads(mlir::Operation *op);

/// The warp group that executes the operation.
int64_t partitionOf(mlir::Operation *op);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPU_H
