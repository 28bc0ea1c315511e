// The layout of a buffer in shared memory for one write and one read.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SHAREDLAYOUT_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SHAREDLAYOUT_H

#include "tilewright/Hardware/Nvidia.h"
#include "tilewright/Layout/LinearLayout.h"
#include "tilewright/Layout/VectorAccess.h"

namespace tilewright::tilegpu {

/// A tile that threads write as `write` and read as `read`.
struct StagedTile {
  layout::LinearLayout write, read;
  /// Registers of `write` whose elements are neighbours in global memory: asynchronous copies take them together, if
  /// they are neighbours in the buffer too. None for a tile that does not come straight from there.
  layout::VectorAccess loaded;
  int64_t elementBytes;
};

/// The layout with which the two take the least time. What is loaded together stays together; rows of 16 bytes do for
/// ldmatrix and stmatrix, where the target moves such fragments by them.
layout::LinearLayout chooseSharedLayout(const StagedTile &tile, const hardware::NvidiaInfo &target);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SHAREDLAYOUT_H
