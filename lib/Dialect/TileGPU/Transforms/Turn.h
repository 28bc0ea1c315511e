// Loops like that of attention, in which groups of warps can take turns.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_TURN_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_TURN_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// What a group of warps starts in one go: the sum of an iteration, then the products of the next one.
struct Turn {
  GroupMmaOp sum, lastProduct;

  /// None unless the loop has one sum, of values in registers that it computes from the products before.
  static std::optional<Turn> of(mlir::scf::ForOp loop);
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_TURN_H
