// Keeps dots of operands in registers in flight while the next iteration's are read.
//
//     iteration i:   start group_mma i                      A in registers, B from slot i mod 3
//                    wait for copy i + 1, barrier           all have waited for group_mma i - 1
//                    read A i + 1 into other registers
//                    copy i + 2                             into slot (i - 1) mod 3
//                    wait for group_mma i

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OVERLAPREADS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OVERLAPREADS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// Does so for a loop whose group_mma only add to accumulators that nothing else in the loop uses, if nothing
/// overwrites their operands before the end of the iteration.
void overlapReads(mlir::scf::ForOp loop, mlir::RewriterBase &rewriter);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OVERLAPREADS_H
