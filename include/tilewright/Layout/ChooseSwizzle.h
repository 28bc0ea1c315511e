// Chooses a layout in shared memory for one write and one read that minimizes wavefronts.
//
// The bits of an offset are assigned from the lowest. Vectors come first, for wide accesses; then the bits that select
// a bank; the highest part, the segment, must be independent of the lanes of a wavefront, both of the write and of the
// read, as otherwise two lanes would conflict in a bank:
//
//     offset bits   |  segment        |  bank           |  vector            |
//     holds         |  neither the    |  any of the     |  register bits of  |
//                   |  write's nor    |  remaining      |  both sides, then  |
//                   |  read's lanes   |                 |  of one            |
//
// If both sides use the vectors, such a segment exists: two subspaces of the same dimension have a common complement
// (Gf2.h). Where the subspaces differ, the segment consists of sums of a lane of the write and a lane of the read,
// which makes the layout a swizzle. Vectors of one side only take banks away from the lanes of the other. So the cost
// is evaluated for all vector lengths of both sides.

#ifndef TILEWRIGHT_LAYOUT_CHOOSESWIZZLE_H
#define TILEWRIGHT_LAYOUT_CHOOSESWIZZLE_H

#include "tilewright/Layout/BankConflicts.h"

namespace tilewright::layout {

struct SwizzleChoice {
  LinearLayout shared; ///< (offset) -> (dim0, dim1, ...)
  VectorAccess writeVector, readVector;
  AccessCost write, read;

  int64_t total() const { return write.total() + read.total(); }
};

/// For a tile written with the layout `write` and read with `read`, which have the same elements per block.
SwizzleChoice chooseSwizzle(const LinearLayout &write, const LinearLayout &read, int elementBits,
                            const SharedMemoryBanks &memory);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_CHOOSESWIZZLE_H
