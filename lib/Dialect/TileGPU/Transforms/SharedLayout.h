// Chooses the layout of a buffer in shared memory for one store and one load.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SHAREDLAYOUT_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SHAREDLAYOUT_H

#include "tilewright/Hardware/Gpu.h"
#include "tilewright/Layout/LinearLayout.h"
#include "tilewright/Layout/VectorAccess.h"

namespace tilewright::tilegpu {

/// A tile that threads write as `write` and read as `read`.
struct StagedTile {
  layout::LinearLayout write, read;
  /// Registers of `write` whose elements are contiguous in global memory. An asynchronous copy moves them with one
  /// instruction if they are contiguous in the buffer too. None for a tile that is not the result of a load.
  layout::VectorAccess loaded;
  int64_t elementBytes;
};

/// The layout that minimizes the cost of the two accesses. Elements loaded by one instruction stay contiguous. The
/// layout keeps rows of 16 bytes contiguous if the target can move the fragments with ldmatrix and stmatrix.
layout::LinearLayout chooseSharedLayout(const StagedTile &tile, const hardware::GpuInfo &target);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SHAREDLAYOUT_H
