// Loops like that of attention, in which warp groups can take turns.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_TURN_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_TURN_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// What a warp group starts in one go: the sum of an iteration, then the scores of the next one (ChainedDots).
struct Turn {
  GroupMmaOp sum, lastScoreDot;

  /// None unless the loop has one sum, of values in registers that it computes from the scores before.
  static std::optional<Turn> of(mlir::scf::ForOp loop);
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_TURN_H
