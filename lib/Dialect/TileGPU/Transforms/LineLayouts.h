// Layouts of tiles that are reduced or scanned along a dimension.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_LINELAYOUTS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_LINELAYOUTS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Layout/Shape.h"

namespace tilewright::tilegpu {

/// A layout in which each warp holds whole lines along `dim`: consecutive elements in a thread, then consecutive lanes.
/// Warps are distributed over the other dimensions, and hold replicas where these are too small.
layout::LinearLayout linesInWarps(const layout::Shape &shape, int dim, Threads threads);

/// The layout with an additional dimension `dim` of the given size, in registers if `inRegisters`; otherwise in lanes
/// that held replicas as far as possible, and in registers beyond that.
layout::LinearLayout withPartials(const layout::LinearLayout &map, int dim, int64_t size, bool inRegisters);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_LINELAYOUTS_H
