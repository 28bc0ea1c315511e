// Splits the operations of a loop by the stages of their schedule.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPPARTS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPPARTS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace tilewright::tilegpu {

/// When and by which warps operations are executed; see ScheduleAttr.
struct Position {
  int64_t stage = 0, cluster = 0, partition = 0;
};

/// The schedule of an operation; none outside of loops that are to be pipelined.
std::optional<Position> findPosition(mlir::Operation *op);

/// The schedule of an operation that has one, as all those in a loop that is pipelined.
Position positionOf(mlir::Operation *op);

/// The operations of a stage.
struct StageOps {
  Position first, last; ///< in the order of clusters
  llvm::SmallVector<mlir::Operation *> ops;
};

/// The stages of a loop:
///
///     ahead     the first: loads and their addresses
///     between   stages that read copied data before the last one does
///     late      the last one
///
/// An operation that both `ahead` and `late` need, such as a counter used in addresses and elsewhere, is in both. A
/// load is in `ahead` only, and its value is carried to the other stages: they use what the masks of the copies were
/// computed from, even if another program changes the memory.
struct LoopParts {
  StageOps ahead;                                          ///< without the stores
  llvm::SmallVector<LocalStoreOp> stores;                  ///< of the first stage, which copies replace
  std::map<int64_t, StageOps> between;                     ///< by stage
  StageOps late;                                           ///< in program order
  llvm::SetVector<unsigned> aheadArguments, lateArguments; ///< indices of loop-carried arguments

  /// The position of an operation of `late`. Those that are also in `ahead` come first in the stage, as their operands
  /// do.
  Position latePosition(size_t index) const { return latePositions[index]; }

  explicit LoopParts(mlir::scf::ForOp loop);

private:
  void split(mlir::scf::ForOp loop, int64_t lastStage);
  void addLate(mlir::Value value, mlir::scf::ForOp loop, llvm::SetVector<mlir::Operation *> &ops);
  void orderLate(mlir::scf::ForOp loop, const llvm::SetVector<mlir::Operation *> &ops);

  llvm::SmallVector<Position> latePositions;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPPARTS_H
