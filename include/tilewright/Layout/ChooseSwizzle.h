// A layout in shared memory for one write and one read with as few wavefronts as can be.
//
// The bits of an offset are handed out from below. Vectors first, so that many bytes
// are accessed at once; then what shares a wavefront with them; and highest the part
// that lanes of one wavefront must not reach, neither those of the write nor those of
// the read, or two of them would meet in a bank:
//
//     offset bits   |  segment        |  bank           |  vector            |
//     holds         |  meets neither  |  any of the     |  register bits of  |
//                   |  write's nor    |  remaining      |  both sides, then  |
//                   |  read's lanes   |                 |  of one            |
//
// As long as both sides use the vectors such a segment exists: two subspaces of the
// same dimension have a common complement (Gf2.h). Where they differ, its vectors are
// sums of a lane of the write and a lane of the read, which is what makes the layout a
// swizzle. Vectors of one side alone take banks away from the lanes of the other. So
// all lengths of both sides' vectors are tried and counted.

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

/// For a tile written as `write` and read as `read`, both holding the same elements per block.
SwizzleChoice chooseSwizzle(const LinearLayout &write, const LinearLayout &read, int elementBits);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_CHOOSESWIZZLE_H
