// Compares indices of 32 bits with a number of 64 bits, such as a loaded label, in 32 bits.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_NARROWEQUALITY_H
#define TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_NARROWEQUALITY_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright {

/// If extended indices are compared for equality with a number that several of them share: the indices before their
/// extension. They are counted up from what is not negative, so that only arithmetic that wraps makes them negative.
/// Null for other comparisons.
mlir::Value findNarrowIndices(mlir::arith::CmpIOp compare);

/// Rewrites such a comparison, given that no index is negative. A number of more bits becomes -1, which no index is:
///
///     %w = arith.extsi %i                            %fits = arith.cmpi ule, %y, 2147483647
///     %s = tile.splat %y : tensor<128xi64>    ->     %n = arith.select %fits, (arith.trunci %y), -1 : i32
///     %e = arith.cmpi eq, %w, %s                     %e = arith.cmpi eq, %i, (tile.splat %n)
void narrowEquality(mlir::arith::CmpIOp compare);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_SPECIALIZERANGES_NARROWEQUALITY_H
