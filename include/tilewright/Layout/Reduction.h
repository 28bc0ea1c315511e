// How a reduction or scan along one dimension crosses registers, lanes and warps.
//
//     an 8 x 8 tile, two registers and four lanes along dim1, two warps along dim0:
//
//       reduce dim1:  registers 1 -> combine reg and reg ^ 1 in each thread
//                     lanes 1, 2  -> shuffle with lane ^ 1, lane ^ 2
//       reduce dim0:  lanes 4     -> shuffle with lane ^ 4
//                     warps 1     -> through shared memory
//
// A mask is an exclusive or of several bits where the layout is swizzled. The
// partners reg ^ mask, lane ^ mask, ... of an element lie at the same coordinates
// but along the dimension, and each step doubles what an element stands for.

#ifndef TILEWRIGHT_LAYOUT_REDUCTION_H
#define TILEWRIGHT_LAYOUT_REDUCTION_H

#include "tilewright/Layout/LinearLayout.h"

namespace tilewright::layout {

struct ReductionPlan {
  std::vector<uint32_t> registers, lanes, warps, blocks; ///< masks, one per step

  /// Whether the steps together meet every element once. If not, elements that differ
  /// only along the dimension lie in different registers of different lanes (or lanes
  /// of warps): convert to another layout first.
  bool isComplete = false;

  bool isInThread() const { return isComplete && lanes.empty() && warps.empty() && blocks.empty(); }
  bool isInWarp() const { return isComplete && warps.empty() && blocks.empty(); }
};

ReductionPlan planReduction(const LinearLayout &layout, int dim);

/// Where the next bit of the coordinate, from the lowest, is found.
struct ScanStep {
  std::string in; ///< register, lane, warp or block
  int bit;
};

/// The steps of an inclusive scan, if each bit of the coordinate is exactly one bit of
/// the layout: after step i runs of 2^(i + 1) elements are scanned, by adding the total of
/// the lower half to every element of the upper half.
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
