// Sums of a `group_mma` that are added to its accumulator by other code, with the accumulator's precision.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_PARTIALSUMS_H
#define TILEWRIGHT_DIALECT_TILEGPU_IR_PARTIALSUMS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

namespace tilewright::tilegpu {

/// An integer on `group_mma`, a multiple of the instruction's K: the columns of A whose products are one sum. Such an
/// operation is not `async`. Without it, the instructions add to the accumulator.
inline constexpr llvm::StringLiteral kPartialKAttr = "tilegpu.partial_k";

inline std::optional<int64_t> partialK(GroupMmaOp op) {
  auto columns = op->getAttrOfType<mlir::IntegerAttr>(kPartialKAttr);
  return columns ? std::optional(columns.getInt()) : std::nullopt;
}

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECT_TILEGPU_IR_PARTIALSUMS_H
