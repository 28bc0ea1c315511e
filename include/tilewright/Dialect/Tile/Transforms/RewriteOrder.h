// Greedy rewriting in a random order, for tests. The result of a greedy rewrite may depend on which operation is
// visited first, and on which of two patterns of equal benefit is tried first, but it must always be correct. Both are
// random if TILEWRIGHT_REWRITE_SEED is set; otherwise, MLIR's order is used.

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_REWRITEORDER_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_REWRITEORDER_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace tilewright::tile {

/// Applies patterns until none matches.
mlir::LogicalResult rewriteGreedily(mlir::Operation *root, mlir::RewritePatternSet patterns);

/// MLIR's canonicalizer, with the same random order.
std::unique_ptr<mlir::Pass> createCanonicalizer();

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_REWRITEORDER_H
