// Blocked layouts for an order of dimensions and a number of contiguous elements per thread.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_BLOCKEDLAYOUT_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_BLOCKEDLAYOUT_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Layout/Blocked.h"

namespace tilewright::tilegpu {

/// Distributes the tile over the threads: each thread holds `vectorWidth` contiguous elements along
/// order[0]; lanes and then warps are consecutive along order[0] up to its size, then along order[1], and so on.
/// Further registers repeat this over the rest of the tile.
layout::LinearLayout blockedLayout(const layout::Shape &shape, const layout::Order &order, int64_t vectorWidth,
                                   Threads threads);

/// The same with a number of contiguous elements along each dimension, and a separate order for the warps.
layout::LinearLayout blockedLayout(const layout::Shape &shape, const layout::Order &order, layout::Shape perThread,
                                   Threads threads, const layout::Order &warpOrder);

/// The same with a separate order for the warps.
layout::LinearLayout blockedLayout(const layout::Shape &shape, const layout::Order &order, int64_t vectorWidth,
                                   Threads threads, const layout::Order &warpOrder);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_BLOCKEDLAYOUT_H
