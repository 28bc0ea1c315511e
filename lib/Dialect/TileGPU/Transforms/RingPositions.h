// How far apart two positions in a ring of slots are.
//
// Loops carry a position for each part of a pipeline:
//
//     scf.for iter_args(%write = 2, %read = 0) {        %write is always 2 slots ahead of %read,
//       %w = ring_next %write of 3                       as it is at first, and both advance by one
//       %r = ring_next %read of 3
//       yield %w, %r
//     }

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_RINGPOSITIONS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_RINGPOSITIONS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include <optional>

namespace tilewright::tilegpu {

/// The number of slots, modulo `slots`, by which the slot `to` is ahead of the slot `from` in a ring of `slots` slots,
/// wherever both have their current values; none if that is unknown.
std::optional<int64_t> slotsBetween(mlir::Value from, mlir::Value to, int64_t slots);

/// Whether the operation is a copy into another slot of the ring than the one `steps` before `slot`.
bool copiesIntoAnotherSlot(mlir::Operation *op, mlir::Value slot, int64_t steps = 0);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_RINGPOSITIONS_H
