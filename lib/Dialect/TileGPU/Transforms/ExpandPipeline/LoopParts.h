// A loop whose operations have stages, taken apart into what happens how long ahead.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPPARTS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPPARTS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// What both copies and the rest need, such as a counter that addresses and something else are computed from, is in
/// both.
struct LoopParts {
  llvm::SmallVector<mlir::Operation *> ahead; ///< stage 0: addresses and loads
  llvm::SmallVector<LocalStoreOp> stores;     ///< stage 0: those that copies replace
  llvm::SmallVector<mlir::Operation *> early; ///< between the first and the last: reads for the first product
  llvm::SetVector<mlir::Operation *> late;    ///< the last stage
  llvm::SetVector<unsigned> aheadArguments, lateArguments; ///< numbers of the loop's

  LoopParts(mlir::scf::ForOp loop, int slots);

private:
  void addLate(mlir::Value value, mlir::scf::ForOp loop);
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_LOOPPARTS_H
