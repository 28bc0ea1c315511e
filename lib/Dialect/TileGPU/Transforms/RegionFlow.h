// Forward data flow through operations with control flow.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_REGIONFLOW_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_REGIONFLOW_H

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::tilegpu {

/// Visits the regions of operations until the states at their entries reach a fixpoint. `Analysis` has
///
///     void visit(Block &block, State &state)             updates the state to that at the block's end
///     void follow(Edge edge, State &state)               updates the state along an edge between regions
///     bool isStopped()                                   whether the result is known
///
/// and `State` a function `bool join(const State &other)`, which returns whether anything changed.
template <typename Analysis, typename State> class RegionFlow {
public:
  /// Where control leaves `op` or one of its regions, and where it goes.
  struct Edge {
    mlir::RegionBranchOpInterface op;
    mlir::RegionBranchTerminatorOpInterface from; ///< null at the entry of the operation
    mlir::RegionSuccessor to;

    mlir::OperandRange operands() { return from ? from.getSuccessorOperands(to) : op.getEntrySuccessorOperands(to); }
  };

  RegionFlow(Analysis &analysis, mlir::RegionBranchOpInterface op) : analysis(analysis), op(op) {}

  /// Updates the state before the operation to that after it.
  void enter(State &state) {
    leave(mlir::RegionBranchPoint::parent(), nullptr, state);
    finish(state);
  }

  /// The same from the end of one of its blocks.
  void resume(mlir::Block &block, State &state) {
    auto terminator = mlir::cast<mlir::RegionBranchTerminatorOpInterface>(block.getTerminator());
    leave(mlir::RegionBranchPoint(terminator), terminator, state);
    finish(state);
  }

private:
  void leave(mlir::RegionBranchPoint point, mlir::RegionBranchTerminatorOpInterface from, const State &state) {
    llvm::SmallVector<mlir::RegionSuccessor> successors;
    op.getSuccessorRegions(point, successors);
    for (const mlir::RegionSuccessor &to : successors) {
      State arriving = state;
      analysis.follow(Edge{op, from, to}, arriving);
      if (to.isParent()) {
        end.join(arriving);
        continue;
      }
      mlir::Region *region = to.getSuccessor();
      bool isNew = !entries.contains(region);
      if (entries[region].join(arriving) || isNew) {
        todo.push_back(region);
      }
    }
  }

  void finish(State &state) {
    while (!todo.empty() && !analysis.isStopped()) {
      mlir::Region *region = todo.pop_back_val();
      State inside = entries[region];
      analysis.visit(region->front(), inside);
      if (!analysis.isStopped()) {
        auto terminator = mlir::cast<mlir::RegionBranchTerminatorOpInterface>(region->front().getTerminator());
        leave(mlir::RegionBranchPoint(terminator), terminator, inside);
      }
    }
    state = std::move(end);
  }

  Analysis &analysis;
  mlir::RegionBranchOpInterface op;
  llvm::MapVector<mlir::Region *, State> entries;
  llvm::SmallVector<mlir::Region *> todo;
  State end;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_REGIONFLOW_H
