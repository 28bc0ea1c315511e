// What decides when a `while` loop ends, and whether that can be computed without executing the loop.
//
//     scf.while (%i = 0, %stop = false, %acc = ...) {
//       %runs = andi (cmpi slt, %i, %n), (xori %stop, true)
//       scf.condition(%runs) %i, %stop, %acc
//     } do {
//       %exits = cmpi sge, %i, %limit          // a `break`
//       ...                                    // loads, dots
//       scf.yield %i + 1, %exits, %sum         // %i and %stop decide; %acc does not
//     }

#ifndef TILEWRIGHT_ANALYSIS_LOOPCONTROL_H
#define TILEWRIGHT_ANALYSIS_LOOPCONTROL_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>

namespace tilewright {

/// The values that decide when a loop ends. Positions are those of the arguments of its first region.
class LoopControl {
public:
  explicit LoopControl(mlir::scf::WhileOp loop);

  /// An operation that the decision depends on and that can't be executed ahead of the loop: it accesses memory, works
  /// on tiles or floats, is not defined for all operands, or is a loop. Null if there is none.
  mlir::Operation *obstacle() const { return found; }

  /// The loop-carried values that the decision depends on.
  llvm::ArrayRef<unsigned> deciding() const { return carried.getArrayRef(); }

  /// A flag among them that is false before the loop, and ends the loop in the iteration after which it is true.
  std::optional<unsigned> stopFlag() const { return stop; }
  bool isStopFlag(mlir::Value value) const;
  /// What an iteration sets the flag to; null if there is none.
  mlir::Value nextStopFlag() const;

  /// What has to hold for the loop to go on, besides the flag.
  llvm::ArrayRef<mlir::Value> conditions() const { return conjuncts; }

  /// Whether the value is computed in the loop, or an argument of one of its regions.
  bool isInside(mlir::Value value) const;

  /// The value that an argument of the second region always has; any other value itself.
  mlir::Value throughCondition(mlir::Value value) const;

private:
  void addConjuncts(mlir::Value condition);
  bool addStop(mlir::Value conjunct);
  void addOperation(mlir::Operation *op, llvm::SmallVectorImpl<mlir::Value> &todo);
  void visit(mlir::Value value);

  mutable mlir::scf::WhileOp loop;
  llvm::SmallVector<mlir::Value> conjuncts;
  std::optional<unsigned> stop;
  llvm::SetVector<unsigned> carried;
  llvm::DenseSet<mlir::Value> seen;
  mlir::Operation *found = nullptr;
};

/// Whether an operation on integers and pointers has no effect and is defined for all operands. Of floats, a copy may
/// be contracted with other operations, so that its result differs.
bool isScalarArithmetic(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_LOOPCONTROL_H
