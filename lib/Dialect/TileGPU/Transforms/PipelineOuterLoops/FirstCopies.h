// The first copies of a loop in another one: those that `expand-pipeline` leaves before it.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINEOUTERLOOPS_FIRSTCOPIES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINEOUTERLOOPS_FIRSTCOPIES_H

#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// A position that an inner loop carries: the number of the argument with the slot, that of the one with the phase, and
/// how many steps the initial position is after the first slot.
struct CarriedPosition {
  unsigned slot = 0, phase = 0;
  int64_t steps = 0;
};

/// The first copies of an inner loop, by threads or of boxes.
struct FirstCopies {
  mlir::scf::ForOp inner;
  AsyncWaitOp end;                                   ///< after the inner loop, for its copies in flight; null for boxes
  LocalAllocOp ring;                                 ///< the barriers of the slots, for boxes
  llvm::SmallVector<mlir::Operation *> ops;          ///< copies, and commits or acquired slots, in order
  llvm::SetVector<mlir::Operation *> slice;          ///< the computation of their addresses and masks
  llvm::SetVector<unsigned> arguments;               ///< of the outer loop, which the slice uses
  llvm::SetVector<mlir::Operation *> buffers;        ///< their allocations
  llvm::MapVector<mlir::Operation *, int64_t> steps; ///< from the first slot to each `local_slot` before the loop
  llvm::SmallVector<CarriedPosition> positions;      ///< those of the inner loop
  bool isAsked = false;                              ///< whether the user has asked for stages of the outer loop
  int64_t slots = 1;                                 ///< of each buffer

  /// The first copies in the loop's body, if they can be started an iteration earlier.
  static std::optional<FirstCopies> in(mlir::scf::ForOp outer, const ReadOnlyMemory &readOnly);
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINEOUTERLOOPS_FIRSTCOPIES_H
