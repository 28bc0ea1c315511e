// The layout for memory accesses and elementwise operations: every thread holds a small box, the threads of a warp form
// a box of those, the warps form a box of warps, and registers repeat that over the tile.
//
//     blocked({4, 8}, {.sizePerThread = {1, 2}, .threadsPerWarp = {2, 2}, .warpsPerBlock = {1, 1}, .order = {1, 0}})
//
//                  dim1 0    1    2    3    4    5    6    7
//          dim0 0     T0:0 T0:1 T1:0 T1:1 T0:2 T0:3 T1:2 T1:3
//               1     T2:0 T2:1 T3:0 T3:1 T2:2 T2:3 T3:2 T3:3
//               2     T0:4 T0:5 T1:4 T1:5 T0:6 T0:7 T1:6 T1:7
//               3     T2:4 T2:5 T3:4 T3:5 T2:6 T2:7 T3:6 T3:7

#ifndef TILEWRIGHT_LAYOUT_BLOCKED_H
#define TILEWRIGHT_LAYOUT_BLOCKED_H

#include "tilewright/Layout/Shape.h"

namespace tilewright::layout {

struct BlockedParameters {
  Shape sizePerThread;
  Shape threadsPerWarp;
  Shape warpsPerBlock;
  Order order; ///< fastest dimension first, for all three
};

LinearLayout blocked(const Shape &shape, const BlockedParameters &parameters);

/// The layout of an operand of a dot computed by multiply-adds in registers, given that of the accumulators: each
/// thread holds all of K for its rows (operand 0: M x K) or its columns (operand 1: K x N). There may be a leading
/// batch dimension.
LinearLayout multiplyAddOperand(const LinearLayout &accumulators, int operand, int64_t k);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_BLOCKED_H
