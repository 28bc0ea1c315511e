// Plans a gather along one dimension inside warps: each thread gets an element from a lane of its warp, with the
// thread's coordinates except for the gather index along the dimension.
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
  /// Whether the gather stays inside warps, and the other members are valid. If not, elements are in other warps, or
  /// lanes hold different rows of the source than of the indices.
  bool isInWarp = false;

  /// For each bit of the index, from the lowest, the corresponding lane or register bit of the source.
  std::vector<ScanStep> bits;

  /// For each register of the indices, the register of the source with the same coordinates, and 0 along the dimension.
  std::vector<int> registers;

  /// The number of index bits that select a register, and of those that select a lane.
  int registerBits() const;
  int laneBits() const { return static_cast<int>(bits.size()) - registerBits(); }
};

/// Shapes must be equal except along `dim`.
GatherPlan planGather(const LinearLayout &source, const LinearLayout &indices, int dim);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_GATHER_H
