// Rewriting in an order that a seed draws. What a greedy rewrite ends with may depend on which operation is visited
// first, and on which of two patterns of equal benefit is tried first; whether it is right must not. With
// TILEWRIGHT_REWRITE_SEED set, both are random; without, they are MLIR's.

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_REWRITEORDER_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_REWRITEORDER_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace tilewright::tile {

/// Applies patterns until none matches.
mlir::LogicalResult rewriteGreedily(mlir::Operation *root, mlir::RewritePatternSet patterns);

/// MLIR's canonicalizer.
std::unique_ptr<mlir::Pass> createCanonicalizer();

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_REWRITEORDER_H
