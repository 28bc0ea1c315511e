// The order of copies of boxes with other accesses to global memory. Such copies access it by another path than loads
// and stores, which need not see each other's effects in program order.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_MEMORYORDER_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_MEMORYORDER_H

#include "tilewright/Analysis/ReadOnlyMemory.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// Whether a copy in the loop instead of the load might miss writes: by this program, or by others for which it has
/// waited.
bool mayReadEarlierWrites(tile::LoadOp load, mlir::scf::ForOp loop, const ReadOnlyMemory &readOnly);

/// Whether a copy instead of the store, or of the relaxed atomic, might be in the wrong order with something: another
/// access to the same memory, earlier or later, or what other programs may take for a sign that the elements are
/// written.
bool needsOrder(tile::MemoryAccessOpInterface store);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_MEMORYORDER_H
