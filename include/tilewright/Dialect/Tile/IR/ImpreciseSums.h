// How many products of 8-bit floats a dot may add with less precision than its accumulator has.

#ifndef TILEWRIGHT_DIALECT_TILE_IR_IMPRECISESUMS_H
#define TILEWRIGHT_DIALECT_TILE_IR_IMPRECISESUMS_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include <limits>

namespace tilewright::tile {

/// An integer on `tile.dot`; without it, the number is not limited.
inline constexpr llvm::StringLiteral kMaxNumImpreciseAccAttr = "tile.max_num_imprecise_acc";

inline int64_t maxNumImpreciseAcc(DotOp dot) {
  auto limit = dot->getAttrOfType<mlir::IntegerAttr>(kMaxNumImpreciseAccAttr);
  return limit ? limit.getInt() : std::numeric_limits<int64_t>::max();
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_IMPRECISESUMS_H
