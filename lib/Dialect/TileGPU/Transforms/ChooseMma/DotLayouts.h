// Where the operands of a product lie: plain data from shapes, a row of the hardware table and the number of warps.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_DOTLAYOUTS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_DOTLAYOUTS_H

#include "tilewright/Hardware/NvidiaInstructions.h"

namespace tilewright::tilegpu {

/// A product of `batch` matrices.
struct DotShape {
  int64_t batch, m, n, k;
  int rank; ///< 2, or 3 with a leading batch dimension
};

struct DotLayouts {
  layout::LinearLayout a, b, accumulator;
};

/// How many warps each dimension of the result gets.
struct WarpGrid {
  int64_t batch, m, n;
};

/// Batches first, which share nothing. Then so that no warp has more to multiply than need be, and reads as little of
/// A and B as can be: warps along M read B again each, those along N read A. `unit` is the smallest piece of M x N
/// that a warp works on. With `rowsOnly` they stand along M as far as it reaches.
WarpGrid chooseWarpGrid(const DotShape &shape, layout::MmaShape unit, int warps, bool rowsOnly);

/// Fragments of the instruction, side by side.
DotLayouts mmaLayouts(const DotShape &shape, const hardware::MmaInstruction &row, WarpGrid grid);

/// For multiply-adds in registers: small squares of accumulators in each thread, with all of K for their rows and
/// columns.
DotLayouts multiplyAddLayouts(const DotShape &shape, int warps);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_DOTLAYOUTS_H
