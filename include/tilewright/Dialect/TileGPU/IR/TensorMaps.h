// The parameters of a kernel that are tensor maps, as the attributes `tilegpu.tensor_maps` and
// `tilegpu.tensor_map_steps` of its function describe them.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TENSORMAPS_H
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TENSORMAPS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Runtime/TensorMapParameters.h"

namespace tilewright::tilegpu {

/// What the launcher makes; empty for a kernel without tensor maps. The maps are the last arguments of the function,
/// which must be valid.
runtime::TensorMapParameters tensorMapsOf(mlir::Operation *kernel);

/// Verifies the attributes, and that the function has an argument for each map.
mlir::LogicalResult verifyTensorMaps(mlir::Operation *kernel);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECT_TILEGPU_IR_TENSORMAPS_H
