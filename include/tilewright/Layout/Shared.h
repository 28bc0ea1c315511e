// Layouts of tiles in shared memory: from (offset), in elements, to (dim0, dim1, ...).
//
// Swizzling permutes groups of `vec` elements within each row, depending on the row's index, so that a column is
// distributed over all banks:
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
#include "tilewright/Layout/VectorAccess.h"

namespace tilewright::layout {

struct Swizzle {
  int64_t vec = 1;      ///< elements that stay together
  int64_t perPhase = 1; ///< consecutive rows with the same permutation
  int64_t maxPhase = 1; ///< number of permutations; 1 for none
};

/// Rows are along order[0] and indexed by order[1]. Permutations beyond the end of the row wrap around.
LinearLayout swizzled(const Shape &shape, const Order &order, const Swizzle &swizzle = {});

/// The layout that TMA writes and wgmma reads with a swizzle of 32, 64 or 128 bytes (16: none). The contiguous
/// dimension (the last one, or with `transposed` the one before) is split into consecutive columns of `swizzleBytes`,
/// one TMA message each. Within a column, chunks of 16 bytes are swizzled by bits 7 to 9 of the address:
///
///     128 bytes: chunk ^= row % 8    64: chunk ^= row / 2 % 4    32: chunk ^= row / 4 % 2
LinearLayout nvmmaShared(const Shape &shape, int elementBits, int swizzleBytes, bool transposed = false);

/// A layout without bank conflicts for threads that access the elements of `distributed`, each its own: the elements of
/// a thread's vector are consecutive, then the lanes, the warps and the thread's vectors. Of elements that several
/// registers of a thread hold, the first counts; no two threads may hold the same.
LinearLayout inOrderOfThreads(const LinearLayout &distributed, const VectorAccess &vector);

/// The offset of each thread's elements: (register, lane, warp) -> (offset). `shared` must have every element exactly
/// once. The tile may be a part of the shared one that begins at 0; for a part that begins elsewhere, the offsets are
/// xored with offsetOf its start.
LinearLayout offsetsOf(const LinearLayout &distributed, const LinearLayout &shared);

/// The offset of one element.
int64_t offsetOf(const LinearLayout::Point &element, const LinearLayout &shared);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_SHARED_H
