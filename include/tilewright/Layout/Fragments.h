// The operands of matrix instructions: the elements of A (m x k), B (k x n) and the accumulators C (m x n) that each
// lane holds.
//
// All fragments of mma.sync follow one pattern, with 32-bit words of e = 32 / bits elements (64-bit elements count as
// words). Four lanes share a row of A, a column of B and a row of C; eight such groups cover consecutive rows:
//
//     A, m16 x k(8e)                          C, m16 x n8
//            k 0..e-1   e..   2e..  3e..             n 0    1    2    3    4    5    6    7
//     m 0    T0:0..     T1    T2    T3          m 0    T0:0 T0:1 T1:0 T1:1 T2:0 T2:1 T3:0 T3:1
//       1    T4         T5    T6    T7            1    T4:0 T4:1 T5:0 ...
//       ...                                       ...
//       8    T0:e..     T1 ...                    8    T0:2 T0:3 T1:2 ...
//
//     and k 4e..8e-1 in the words that follow. B is the same with k down and n across,
//     and has no second group of eight.
//
// wgmma stacks four warps on top of each other, each with such a fragment of 16 rows.

#ifndef TILEWRIGHT_LAYOUT_FRAGMENTS_H
#define TILEWRIGHT_LAYOUT_FRAGMENTS_H

#include "tilewright/Layout/Shape.h"

namespace tilewright::layout {

enum class Operand { A, B, C };

struct MmaShape {
  int64_t m, n, k;
};

/// One warp's fragment for an instruction of this shape; `elementBits` matters for A and B.
LinearLayout mmaFragment(Operand operand, MmaShape shape, int elementBits);

/// One warp group's (four warps') fragment: C, or A taken from registers.
LinearLayout wgmmaFragment(Operand operand, MmaShape shape, int elementBits);

/// An operand of shape rows x columns for `warps` = {along M, along N} warps, numbered in `warpOrder` (fastest first).
/// Warps that share rows of A or columns of B hold replicas. Registers repeat the fragment along K first (for C: along
/// N first).
LinearLayout mmaOperand(Operand operand, const LinearLayout &fragment, const Shape &shape, const Shape &warps,
                        const Order &warpOrder = {1, 0});

/// The same for wgmma: warps[0] must be a multiple of four, the warps of a warp group.
LinearLayout wgmmaOperand(Operand operand, const LinearLayout &fragment, const Shape &shape, const Shape &warps);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_FRAGMENTS_H
