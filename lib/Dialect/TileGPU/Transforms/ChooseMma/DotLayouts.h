// The layouts of a dot's operands, computed from shapes, a row of the hardware table and the number of warps.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_DOTLAYOUTS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_DOTLAYOUTS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

/// A batch of matrix multiplications, (m x k) by (k x n).
struct DotShape {
  int64_t batch, m, n, k;
  int rank; ///< 2, or 3 with a leading batch dimension
};

struct DotLayouts {
  layout::LinearLayout a, b, accumulator;
};

/// The number of warps along each dimension of the result.
struct WarpGrid {
  int64_t batch, m, n;
};

/// Distributes warps over batches first, which share no operands. Then minimizes the work per warp and, among equals,
/// how much of A and B a warp reads: each warp along M reads B again, each along N reads A. `unit` is the smallest part
/// of M x N that a warp computes. With `rowsOnly`, warps are placed along M first.
WarpGrid chooseWarpGrid(const DotShape &shape, layout::MmaShape unit, int warps, bool rowsOnly);

/// The tile as a grid of the instruction's fragments.
DotLayouts mmaLayouts(const DotShape &shape, const hardware::MmaInstruction &row, WarpGrid grid);

/// For multiply-adds in registers: each thread holds small rectangles of accumulators, and the rows of A and columns of
/// B for them over all of K.
DotLayouts multiplyAddLayouts(const DotShape &shape, Threads threads);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_CHOOSEMMA_DOTLAYOUTS_H
