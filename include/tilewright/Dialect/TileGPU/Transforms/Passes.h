// Declarations of the TileGPU passes, generated from Passes.td.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_PASSES_H
#define TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_PASSES_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Pass/Pass.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_PASSES_H
