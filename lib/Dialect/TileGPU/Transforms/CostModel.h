// What it costs to have a tile in one layout or another: the one model for all passes that choose.
//
// A cost is how long a program keeps its multiprocessor busy, in quarters of a cycle, as if its units took turns:
//
//     a warp's instruction on 32-bit floats   1      128 lanes a cycle
//     on integers                             2      64
//     a shuffle                               4      32
//     a wavefront of shared memory            4      128 bytes
//     a line of the first-level cache         4      128 bytes, one tag
//     a sector written to the second level    6      what a multiprocessor's part of its bandwidth comes to
//
// Only differences between layouts matter, so what all have alike is left out: the latency of memory, its traffic.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_COSTMODEL_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_COSTMODEL_H

#include "AccessFacts.h"

namespace tilewright::tilegpu {

using Cost = int64_t;

/// An access to global memory by the threads of the layout.
Cost accessCost(const AccessFacts &facts, const layout::LinearLayout &map);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_COSTMODEL_H
