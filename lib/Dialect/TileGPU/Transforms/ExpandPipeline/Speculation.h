// What may be executed for an iteration that a loop does not have.
//
// Copies run iterations ahead, and so does what their addresses are computed from. Beyond the loop's last iteration the
// addresses are not used, but computing them must not do harm: a division by zero is undefined even if nothing uses
// the quotient. Such a division is guarded:
//
//     %q = divsi %x, %d        ->        %one = select %exists, %d, 1
//                                        %q = divsi %x, %one

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_SPECULATION_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_SPECULATION_H

#include "mlir/IR/PatternMatch.h"

namespace tilewright::tilegpu {

/// Whether an operation without effects and regions may be executed ahead, guarded where it has to be.
bool canRunAhead(mlir::Operation *op);

/// Makes an operation harmless where `exists` is false.
void guardDivision(mlir::RewriterBase &rewriter, mlir::Operation *op, mlir::Value exists);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_SPECULATION_H
