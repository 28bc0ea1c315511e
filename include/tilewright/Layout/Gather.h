// Whether a gather along one dimension stays inside warps: each thread asks a lane of
// its own warp for the element with its own coordinates, but an index of its own along
// the dimension.
//
//     a row of 64 elements, 32 lanes, two registers each (T1:0 is lane 1, register 0):
//
//       index  0    1    2    3    4             bit 0 of the index: the register
//              T0:0 T0:1 T1:0 T1:1 T2:0 ...      the others: the lane

#ifndef TILEWRIGHT_LAYOUT_GATHER_H
#define TILEWRIGHT_LAYOUT_GATHER_H

#include "tilewright/Layout/Reduction.h"

namespace tilewright::layout {

struct GatherPlan {
  /// Whether the rest holds. If not, warps have elements of each other's, or lanes hold other rows of the source than
  /// of the indices.
  bool isInWarp = false;

  /// Per bit of the index, from the lowest, the lane or register bit of the source that it is.
  std::vector<ScanStep> bits;

  /// Per register of the indices the register of the source with the same coordinates, and 0 along the dimension.
  std::vector<int> registers;

  /// Bits of the index that choose between a lane's registers, and those that choose a lane.
  int registerBits() const;
  int laneBits() const { return static_cast<int>(bits.size()) - registerBits(); }
};

/// Shapes agree but along `dim`.
GatherPlan planGather(const LinearLayout &source, const LinearLayout &indices, int dim);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_GATHER_H
