// Which branches an iteration takes, given whether it ends the loop early.
//
//     %far = cmpi sge, %i, %limit
//     %stop, %next = scf.if %far {       an iteration with %stop = false executes the second branch,
//       scf.yield true, %acc             one with %stop = true the first
//     } else {
//       %x = tile.load ...
//       scf.yield false, %sum
//     }
//
// Conditions that no branch, logic or comparison of exit codes computes are independent. Their values are enumerated as
// far as the flag depends on them, and branches that are taken in all cases of interest are decided.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_EXITCASES_H
#define TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_EXITCASES_H

#include "tilewright/Analysis/LoopControl.h"

#include "llvm/ADT/MapVector.h"

namespace tilewright {

/// For an scf.if, whether its first branch is taken whenever it is executed.
using DecidedBranches = llvm::MapVector<mlir::Operation *, bool>;

/// The branches in the loop's body, but not in loops within it, that are decided in an iteration which sets the flag to
/// `stops`. None if there are too many cases.
std::optional<DecidedBranches> decideBranches(mlir::scf::WhileOp loop, const LoopControl &control, bool stops);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_EXITCASES_H
