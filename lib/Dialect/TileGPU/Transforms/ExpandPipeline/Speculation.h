// Execution of operations ahead of their iteration, and speculatively for iterations that a loop does not have.
//
// Copies run iterations ahead, and so does the computation of their addresses. Beyond the loop's last iteration the
// addresses are unused, but computing them must not be undefined behavior, as a division by zero is even if its result
// is unused. Such a division is guarded:
//
//     %q = divsi %x, %d        ->        %one = select %exists, %d, 1
//                                        %q = divsi %x, %one

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_SPECULATION_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_SPECULATION_H

#include "tilewright/Analysis/ReadOnlyMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// Whether an operation without effects and regions may be executed ahead, with a guard if it is a division.
bool canRunAhead(mlir::Operation *op);

/// Adds the operations of the loop from which `value` is computed, in this iteration and earlier ones, and the numbers
/// of the loop's arguments that they use. Returns false if one has effects or regions, or must not be executed for an
/// iteration that does not exist, or if an argument's next value comes from outside of the loop. With `readOnly`, it
/// may be a load from memory that the loop does not write.
bool addAheadSlice(mlir::Value value, mlir::scf::ForOp loop, llvm::SetVector<mlir::Operation *> &slice,
                   llvm::SetVector<unsigned> *arguments = nullptr, const ReadOnlyMemory *readOnly = nullptr);

/// Whether an operation in the loop may write the memory at `pointer`, or is an atomic that orders a load from it. A
/// release also orders the loads before it, but not the reads of a copy in flight.
bool hasHoistingHazard(mlir::Value pointer, mlir::scf::ForOp loop, const ReadOnlyMemory &readOnly);

/// The number of stages of a loop: the user's request, or else the module's default.
int64_t stagesOf(mlir::scf::ForOp loop);

/// Lets an operation have no effect unless `exists`: masks a copy or a load, moves the read of a ring's slot into a
/// branch, and divides by 1 where a division is not speculatable. Others may be executed speculatively. Returns the
/// operation, or the branch.
mlir::Operation *executeIf(mlir::RewriterBase &rewriter, mlir::Operation *op, mlir::Value exists);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_SPECULATION_H
