// Layouts of tiles in shared memory: from (offset), in elements, to (dim0, dim1, ...).
//
// Swizzling keeps rows where they are and permutes groups of `vec` elements inside
// each row, by the row's number, so that a column is spread over all banks:
//
//     swizzled({4, 8}, {1, 0}, {.vec = 2, .perPhase = 1, .maxPhase = 4})
//
//       offset  0    1    2    3    4    5    6    7
//            0  0,0  0,1  0,2  0,3  0,4  0,5  0,6  0,7     phase 0
//            8  1,2  1,3  1,0  1,1  1,6  1,7  1,4  1,5     phase 1: groups exchanged by 1
//           16  2,4  2,5  2,6  2,7  2,0  2,1  2,2  2,3     phase 2
//           24  3,6  3,7  3,4  3,5  3,2  3,3  3,0  3,1     phase 3

#ifndef TILEWRIGHT_LAYOUT_SHARED_H
#define TILEWRIGHT_LAYOUT_SHARED_H

#include "tilewright/Layout/Shape.h"

namespace tilewright::layout {

struct Swizzle {
  int64_t vec = 1;      ///< elements that stay together
  int64_t perPhase = 1; ///< consecutive rows with the same permutation
  int64_t maxPhase = 1; ///< number of permutations; 1 for none
};

/// Rows along order[0]; order[1] numbers them. Permutations that lead out of the row wrap around.
LinearLayout swizzled(const Shape &shape, const Order &order, const Swizzle &swizzle = {});

/// What TMA writes and wgmma reads with a swizzle of 32, 64 or 128 bytes (16: none).
/// The contiguous dimension (the last one, `transposed`: the one before) is cut into
/// columns of `swizzleBytes`, one TMA message each, which lie one after the other.
/// Inside, chunks of 16 bytes are exchanged by bits 7 to 9 of the address:
///
///     128 bytes: chunk ^= row % 8    64: chunk ^= row / 2 % 4    32: chunk ^= row / 4 % 2
LinearLayout nvmmaShared(const Shape &shape, int elementBits, int swizzleBytes, bool transposed = false);

/// The offset of each thread's elements: (register, lane, warp) -> (offset). Copies in
/// shared memory or elements it lacks are the caller's mistake. The tile may be a part of what is in shared memory, the
/// one that begins at 0; one that begins elsewhere has offsets ^ offsetOf its start.
LinearLayout offsetsOf(const LinearLayout &distributed, const LinearLayout &shared);

/// The offset of one element.
int64_t offsetOf(const LinearLayout::Point &element, const LinearLayout &shared);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_SHARED_H
