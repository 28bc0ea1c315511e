// Speculative execution of operations for iterations that a loop does not have.
//
// Copies run iterations ahead, and so does the computation of their addresses. Beyond the loop's last iteration the
// addresses are unused, but computing them must not be undefined behavior, as a division by zero is even if its result
// is unused. Such a division is guarded:
//
//     %q = divsi %x, %d        ->        %one = select %exists, %d, 1
//                                        %q = divsi %x, %one

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_SPECULATION_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_SPECULATION_H

#include "mlir/IR/PatternMatch.h"

namespace tilewright::tilegpu {

/// Whether an operation without effects and regions may be executed ahead, with a guard if it is a division.
bool canRunAhead(mlir::Operation *op);

/// Replaces the divisor of a division that is not speculatable by 1 if `exists` is false.
void guardDivision(mlir::RewriterBase &rewriter, mlir::Operation *op, mlir::Value exists);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_SPECULATION_H
