// Positions in a ring of slots that an outer loop carries from one inner loop to the next.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINEOUTERLOOPS_CARRIEDPOSITIONS_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINEOUTERLOOPS_CARRIEDPOSITIONS_H

#include "FirstCopies.h"

#include "mlir/IR/PatternMatch.h"

namespace tilewright::tilegpu {

/// A position in the ring of slots.
struct Position {
  mlir::Value slot, phase;
};

/// Positions at constant distances from one.
class Positions {
public:
  Positions(mlir::RewriterBase &rewriter, mlir::Location loc, Position first, int64_t slots)
      : rewriter(rewriter), loc(loc), slots(slots), known({first}) {}

  Position after(int64_t steps);

private:
  mlir::RewriterBase &rewriter;
  mlir::Location loc;
  int64_t slots;
  llvm::SmallVector<Position> known;
};

/// The loop with additional arguments, which it yields for now.
mlir::scf::ForOp withArguments(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop, mlir::ValueRange inits);

/// Replaces what the loop yields for its last arguments.
void yieldLast(mlir::scf::ForOp loop, mlir::ValueRange values);

/// Lets the inner loop begin where the position is.
void beginAt(Positions &positions, FirstCopies &first);

/// Where the inner loop has ended.
Position endOf(FirstCopies &first);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINEOUTERLOOPS_CARRIEDPOSITIONS_H
