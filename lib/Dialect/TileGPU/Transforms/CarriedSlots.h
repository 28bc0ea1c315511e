// The slots that the previous iteration of a loop has read.
//
//     scf.for iter_args(%slot = 0) {            scf.for iter_args(%slot = 0, %before = 2) {
//       local_slot %ring[%slot]          ->       local_slot %ring[%slot]
//                                                 local_slot %ring[%before]
//       yield %next                               yield %next, %slot
//     }                                         }

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CARRIEDSLOTS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CARRIEDSLOTS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// Makes a loop carry the slots of the previous iteration. There is none before the first one: it waits for nothing,
/// and its value is the slot before the first iteration's.
class CarriedSlots {
public:
  /// Replaces `loop` if it does not carry the slots of these buffers yet.
  CarriedSlots(mlir::scf::ForOp &loop, mlir::RewriterBase &rewriter) : loop(loop), rewriter(rewriter) {}

  void carry(mlir::ArrayRef<mlir::Value> buffers);

  /// What the previous iteration has read of the buffers: slots, or all slots of a buffer of which that is not known.
  llvm::SmallVector<mlir::Value> before(mlir::ArrayRef<mlir::Value> buffers, mlir::Location loc);

private:
  mlir::scf::ForOp &loop;
  mlir::RewriterBase &rewriter;
  llvm::DenseMap<unsigned, mlir::Value> previous; ///< by the number of the current index
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CARRIEDSLOTS_H
