// Blocked layouts from what passes know: who is the fastest dimension, and how many
// elements a thread takes at once.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_BLOCKEDLAYOUT_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_BLOCKEDLAYOUT_H

#include "tilewright/Layout/Blocked.h"

namespace tilewright::tilegpu {

/// The tile over the threads of `warps` warps: each thread takes `vectorWidth` neighbours along order[0], lanes and
/// then warps stand side by side along order[0] as far as it reaches, then along order[1], ...; registers repeat that.
layout::LinearLayout blockedLayout(const layout::Shape &shape, const layout::Order &order, int64_t vectorWidth,
                                   int warps);

/// The same with another order for the warps.
layout::LinearLayout blockedLayout(const layout::Shape &shape, const layout::Order &order, int64_t vectorWidth,
                                   int warps, const layout::Order &warpOrder);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_BLOCKEDLAYOUT_H
