// Keeps the sums of attention in flight into the next iteration.
//
//     iteration i:   wait for copy i, barrier
//                    start the product of Q and K i         follows sum i - 1 without a gap
//                    copy i + 2                             into the slot of i - 2, which nothing reads
//                    wait for the product and sum i - 1
//                    softmax, start sum i                   reads V i

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OVERLAPSUMS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OVERLAPSUMS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// Does so, if nothing overwrites the operands before the waits. `loop` becomes the one that takes its place.
void overlapSums(mlir::scf::ForOp &loop, mlir::RewriterBase &rewriter);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OVERLAPSUMS_H
