// What passes state about their decisions, for `tilewright explain`. A pass that rejects a choice says why, next to the
// code that rejects it:
//
//     if (!fillsWithZeros(load))
//       stateRejected(load, "asynchronous copy", "`other` is not zero");
//
// These are remarks of MLIR's remark engine. They are collected only if the context has an engine
// (lib/Pipeline/ScheduleReport.h installs one); without it, stating a decision costs the load of a pointer.

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DECISIONS_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DECISIONS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/Twine.h"

namespace tilewright {

/// The category of the remarks, and the name of the argument that is the location of the loop around the operation.
inline constexpr llvm::StringLiteral kScheduleCategory = "schedule";
inline constexpr llvm::StringLiteral kLoopArgument = "loop";

/// Whether decisions are collected: a pass may have to compute a reason that it does not need itself.
bool collectsDecisions(mlir::Operation *op);

/// The innermost loop around an operation, or the operation itself if it is a loop; null outside of loops.
mlir::Operation *loopAround(mlir::Operation *op);

/// States that `choice`, such as "wgmma", was not made for an operation or a loop. `reason` completes the sentence
/// "..., because".
void stateRejected(mlir::Operation *op, llvm::StringRef choice, const llvm::Twine &reason);

/// States at the first dot in `scope` that the compiler did not make the kernel persistent; nothing without dots.
void stateNotPersistent(mlir::Operation *scope, llvm::StringRef reason);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_DECISIONS_H
