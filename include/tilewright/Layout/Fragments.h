// The operands of matrix instructions: the elements of A (m x k), B (k x n) and the accumulators C (m x n) that each
// lane holds.
//
// The fragments of NVIDIA's and AMD's instructions follow one pattern: a lane holds a few contiguous elements along one
// dimension, lanes follow one another along a dimension each, and registers repeat this over the rest of the matrix.
// Two examples (T1:2 is lane 1, register 2):
//
//     C of mma.sync m16n8: 2 elements along N;        C of mfma 16x16: 4 elements along M;
//     4 lanes along N, then 8 along M                 16 lanes along N, then 4 along M
//
//            n 0    1    2    3    ..   6    7               n 0    1    2    ..   15
//     m 0    T0:0 T0:1 T1:0 T1:1   .. T3:0 T3:1       m 0    T0:0 T1:0 T2:0   .. T15:0
//       1    T4:0 T4:1 T5:0 ...                         1    T0:1 T1:1 T2:1   .. T15:1
//       ...                                             ...
//       7    T28:0 ...            .. T31:0 T31:1        4    T16:0 T17:0      .. T31:0
//       8    T0:2 T0:3 T1:2 ...                         ...

#ifndef TILEWRIGHT_LAYOUT_FRAGMENTS_H
#define TILEWRIGHT_LAYOUT_FRAGMENTS_H

#include "tilewright/Layout/Shape.h"

namespace tilewright::layout {

enum class Operand { A, B, C };

struct MmaShape {
  int64_t m, n, k;
};

/// Consecutive lanes along one dimension.
struct LaneRun {
  int dim;
  int64_t lanes;
};

/// The elements of a matrix that each lane of a warp holds.
struct FragmentPattern {
  int dim;                    ///< a lane holds contiguous elements along this dimension
  int64_t contiguous;         ///< and this many of them
  std::vector<LaneRun> lanes; ///< the first run has the lowest lanes
};

/// One warp's fragment of a matrix of this shape. Registers repeat the pattern along dimension 0 first.
LinearLayout fragment(const FragmentPattern &pattern, const Shape &shape);

/// An operand of shape rows x columns for `warps` = {along M, along N} warps, numbered in `warpOrder` (fastest first).
/// Warps that share rows of A or columns of B hold replicas. Registers repeat the fragment along K first (for C: along
/// N first).
LinearLayout mmaOperand(Operand operand, const LinearLayout &fragment, const Shape &shape, const Shape &warps,
                        const Order &warpOrder = {1, 0});

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_FRAGMENTS_H
