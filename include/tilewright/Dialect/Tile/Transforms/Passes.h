// Declarations of the passes on Tile IR, generated from Passes.td.

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::tile {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilewright/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES_H
