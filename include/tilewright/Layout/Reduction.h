// Plans a reduction or scan along one dimension over registers, lanes and warps.
//
//     an 8 x 8 tile, two registers and four lanes along dim1, two warps along dim0:
//
//       reduce dim1:  registers 1 -> combine reg and reg ^ 1 in each thread
//                     lanes 1, 2  -> shuffle with lane ^ 1, lane ^ 2
//       reduce dim0:  lanes 4     -> shuffle with lane ^ 4
//                     warps 1     -> through shared memory
//
// If the layout is swizzled, a mask may have several bits. The partners reg ^ mask, lane ^ mask, ... of an element have
// the same coordinates except along the dimension, and each step doubles the number of elements that a partial result
// covers.

#ifndef TILEWRIGHT_LAYOUT_REDUCTION_H
#define TILEWRIGHT_LAYOUT_REDUCTION_H

#include "tilewright/Layout/LinearLayout.h"

namespace tilewright::layout {

struct ReductionPlan {
  std::vector<uint32_t> registers, lanes, warps, blocks; ///< masks, one per step

  /// Whether the steps cover every element exactly once. If not, elements that differ only along the dimension are in
  /// different registers of different lanes (or different lanes of different warps), and the operand must be converted
  /// to another layout first.
  bool isComplete = false;

  bool isInThread() const { return isComplete && lanes.empty() && warps.empty() && blocks.empty(); }
  bool isInWarp() const { return isComplete && warps.empty() && blocks.empty(); }
};

ReductionPlan planReduction(const LinearLayout &layout, int dim);

/// The location of a bit of the coordinate.
struct ScanStep {
  std::string in; ///< register, lane, warp or block
  int bit;
};

/// The steps of an inclusive scan, if each bit of the coordinate corresponds to exactly one bit of the layout, lowest
/// first. After step i, runs of 2^(i + 1) elements are scanned, by combining the total of the lower half with every
/// element of the upper half.
///
///     blocked with 2 registers, 4 lanes, 2 warps over 32 elements:
///       register 0 | lane 0, lane 1 | warp 0 | register 1
struct ScanPlan {
  std::vector<ScanStep> steps;
  bool isComplete = false;
};

ScanPlan planScan(const LinearLayout &layout, int dim);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_REDUCTION_H
