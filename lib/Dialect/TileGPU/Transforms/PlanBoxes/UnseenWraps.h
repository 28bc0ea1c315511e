// Remainders that only keep addresses inside of an array. Programs number the rows of the last tile beyond the array
// and read them from its beginning, but store no results of them:
//
//     rows = (start + make_range) % M                     excess = start + i0 - M
//     x = load a + rows[:, None] * stride + ...           not negative in the rows that wrap
//     ... dot, elementwise operations, loops ...          keep rows apart
//     store c + ..., mask start + make_range < M          negative in all rows that are stored
//
// A copy of boxes may read zeros in such rows.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_UNSEENWRAPS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_UNSEENWRAPS_H

#include "../IndexSums.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

namespace tilewright::tilegpu {

/// The elements of a remainder's tile that wrap, in the tile of a load that they reach.
struct UnseenWrap {
  IndexSum excess;                         ///< not negative in these elements only
  llvm::SetVector<mlir::Value> arithmetic; ///< whose results must not wrap for that, nor in the masks of stores
};

/// Where elements that wrap reach the load, if they reach stores and atomics only where these are masked off; none if
/// they may have any other effect.
std::optional<llvm::SmallVector<UnseenWrap>> findUnseenWraps(const IndexRemainder &remainder, tile::LoadOp load);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PLANBOXES_UNSEENWRAPS_H
