// Splits the operations of a loop by their stages.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPPARTS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPPARTS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// An operation that both the copies and the rest need, such as a counter used in addresses and elsewhere, is in both
/// parts.
struct LoopParts {
  llvm::SmallVector<mlir::Operation *> ahead;              ///< stage 0: loads and their addresses
  llvm::SmallVector<LocalStoreOp> stores;                  ///< stage 0: stores that copies replace
  llvm::SmallVector<mlir::Operation *> early;              ///< the stage before the last: loads for the first dot
  llvm::SetVector<mlir::Operation *> late;                 ///< the last stage
  llvm::SetVector<unsigned> aheadArguments, lateArguments; ///< indices of loop-carried arguments

  LoopParts(mlir::scf::ForOp loop, int slots);

private:
  void addLate(mlir::Value value, mlir::scf::ForOp loop);
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPPARTS_H
