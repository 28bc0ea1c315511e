// Chains of group_mma in loops.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_GROUPMMACHAINS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_GROUPMMACHAINS_H

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// The group_mma of an iteration that add to one accumulator, which the loop carries:
///
///     scf.for iter_args(%acc) {
///       %1 = group_mma %a, %b, %acc
///       %2 = group_mma %c, %d, %1
///       scf.yield %2
///     }
struct GroupMmaChain {
  unsigned argument; ///< the index of the accumulator among the values that the loop carries
  llvm::SmallVector<GroupMmaOp> ops;

  /// The buffers that they read, as operands.
  llvm::SmallVector<mlir::Value> buffers() const;
};

/// The chains of a loop, if all group_mma in it belong to chains and may be in flight across iterations: their operands
/// are in shared memory, and nothing else in the loop uses the accumulators. Empty otherwise. With `inRegisters`, A may
/// be in registers.
llvm::SmallVector<GroupMmaChain> chainsOf(mlir::scf::ForOp loop, bool inRegisters = false);

/// The group_mma of a loop of which some accumulate what is computed from others, like attention:
///
///     scf.for iter_args(%acc) {
///       %s = group_mma %q, %k, %zero         the scores
///       %p = math.exp2 %s
///       %scaled = arith.mulf %acc, ...
///       %1 = group_mma %p, %v, %scaled       a sum
///       scf.yield %1
///     }
struct ChainedDots {
  /// A sum, which only the next iteration uses.
  struct Sum {
    unsigned argument; ///< the index of the accumulator among the values that the loop carries
    GroupMmaOp op;
  };
  llvm::SmallVector<GroupMmaOp> scores; ///< of operands in shared memory, on accumulators from before the loop
  llvm::SmallVector<Sum> sums;
};

/// The chained dots of an iteration, if there are any.
std::optional<ChainedDots> chainedDotsOf(mlir::scf::ForOp loop);

/// Why a group_mma of the loop completes in its iteration: for decisions that are stated.
std::string whyNotInFlight(GroupMmaOp op, mlir::scf::ForOp loop);

/// The operands in shared memory.
llvm::SmallVector<mlir::Value> buffersOf(GroupMmaOp op);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_GROUPMMACHAINS_H
