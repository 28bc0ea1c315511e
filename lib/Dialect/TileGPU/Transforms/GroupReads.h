// Operands of group_mma that go through registers, in loops:
//
//     scf.for iter_args(%acc) {
//       local_store %x, %b                    a copy, ahead
//       %a = local_load %b                    could be read while the group_mma of the previous iteration is computed
//       %1 = group_mma %a registers, %c, %acc
//       scf.yield %1
//     }

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_GROUPREADS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_GROUPREADS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// The paths from data that the operations `copies` store to operands in registers, of a loop that only adds up
/// group_mma. Empty if the registers do not suffice for the operands of two iterations.
llvm::SmallVector<mlir::Operation *> groupReadsAhead(mlir::scf::ForOp loop,
                                                     const llvm::SetVector<mlir::Operation *> &copies);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_GROUPREADS_H
