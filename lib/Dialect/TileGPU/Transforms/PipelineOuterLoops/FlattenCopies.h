// Lets the copies of boxes of an inner loop go on with the next iterations of the outer loop, as if the two loops were
// one: an iteration of the inner loop starts the copies that are as many iterations ahead as slots allow, whatever the
// iteration of the outer loop to which they belong.
//
//     scf.for tile                                state = (begin, 0)
//       copies(tile, 0), copies(tile, 1)          copies(state), advance, copies(state), advance
//       scf.for k                                 scf.for tile, iter_args(position, state)
//         wait, dot                                 scf.for k, iter_args(position, state)
//         copies(tile, k + 2)                         wait, dot
//       stores(tile)                                  copies(state)
//                                                     advance: (tile, k + 1), or (tile + step, 0) after the last one
//                                                   stores(tile)
//
// So copies never pause. The bounds of the inner loop must be the same in all iterations of the outer one.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINEOUTERLOOPS_FLATTENCOPIES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINEOUTERLOOPS_FLATTENCOPIES_H

#include "FirstCopies.h"

namespace tilewright::tilegpu {

/// The copies of an iteration of the inner loop.
struct LoopCopies {
  llvm::SmallVector<mlir::Operation *> ops;       ///< the slot's acquisition, and the copies
  llvm::SetVector<mlir::Operation *> ofIteration; ///< the computation of coordinates in the inner loop
  llvm::SetVector<mlir::Operation *> ofTile;      ///< that in the outer loop
  llvm::SetVector<mlir::Value> tileValues;        ///< what both use of the outer loop's body
  int64_t ahead = 0;                              ///< the iterations by which they are ahead

  /// None if they can't go on with the outer loop's next iteration.
  static std::optional<LoopCopies> of(mlir::scf::ForOp outer, const FirstCopies &first);
};

/// Rewrites the two loops; the buffers have been moved out of the outer one.
void flattenCopies(mlir::scf::ForOp outer, FirstCopies &first, const LoopCopies &copies);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINEOUTERLOOPS_FLATTENCOPIES_H
