// Starts the first copies of an inner loop where that of the outer loop's previous iteration has ended.
//
//     scf.for tile                               copies(begin)           masked by the existence of the iteration
//       copies(tile)                             scf.for tile, iter_args(position, tokens)
//       scf.for k, iter_args(0, tokens)            scf.for k, iter_args(position, tokens)
//         wait, copy, dot                            wait, copy, dot
//       wait for copies without an iteration       wait
//       stores(tile)                               copies(tile + step)     in flight during the stores
//                                                  stores(tile)
//                                                wait
//
// The first copies are collected, then moved. The computation of their addresses is in the loop twice: for the next
// iteration's copies, and for what else uses them in this one. So nothing but tokens and the position in the ring is
// carried for it, besides those arguments of the loop from which addresses are computed.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINEOUTERLOOPS_ROTATECOPIES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINEOUTERLOOPS_ROTATECOPIES_H

#include "FirstCopies.h"

namespace tilewright::tilegpu {

/// Rewrites the outer loop, out of which the buffers have been moved.
void rotateCopies(mlir::scf::ForOp outer, FirstCopies &first);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINEOUTERLOOPS_ROTATECOPIES_H
