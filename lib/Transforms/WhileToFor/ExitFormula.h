// The first iteration in which a condition holds, in terms of values that are known before the loop.
//
//     exits = %i >= %limit or %flag, with %i = %low + t * %step      earliest(%low + t * %step >= %limit,
//                                                                             %flag ? 0 : never)
//
// A formula is data. ClosedForm.h computes its value.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_EXITFORMULA_H
#define TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_EXITFORMULA_H

#include "ExitCases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <vector>

namespace tilewright {

/// A factor times values of 32 bits that the loop does not change.
struct InvariantProduct {
  int64_t factor = 1;
  llvm::SmallVector<mlir::Value, 2> scalars;
};

/// The 32-bit integer start + t * slope in iteration t, if no 32-bit arithmetic wraps.
struct Affine {
  llvm::SmallVector<InvariantProduct, 2> start;
  std::optional<InvariantProduct> slope;
};

struct ExitFormula {
  enum class Kind {
    Never,
    AtOnce,   ///< in iteration 0
    Compare,  ///< the first iteration in which `left predicate right`
    Earliest, ///< the earliest of the parts
    Choose,   ///< the first part if `condition` is true before the loop, or else the second
  };
  Kind kind = Kind::Never;
  mlir::Value condition;
  mlir::arith::CmpIPredicate predicate = mlir::arith::CmpIPredicate::eq;
  Affine left, right; ///< no more than one has a slope
  std::vector<ExitFormula> parts;
};

/// None if one of the formulas is none.
std::optional<ExitFormula> earliest(std::optional<ExitFormula> first, std::optional<ExitFormula> second);

/// Finds formulas for a loop without an obstacle.
class ExitFormulas {
public:
  /// `decided` are the branches of iterations that do not end the loop early.
  ExitFormulas(mlir::scf::WhileOp loop, const LoopControl &control, const DecidedBranches &decided)
      : loop(loop), control(control), decided(decided) {}

  /// The first iteration in which the condition is `holds`, given that all earlier ones are executed to their end. None
  /// if it has no closed form.
  std::optional<ExitFormula> firstWhere(mlir::Value condition, bool holds);

  /// Whether each iteration adds 1 to the value, which begins with 0.
  bool countsIterations(mlir::Value value);

  /// Whether the value is the same in all iterations.
  bool isInvariant(mlir::Value value);

private:
  using Formula = std::optional<ExitFormula>;

  Formula firstOfBoth(mlir::Operation *op, bool holds);
  Formula firstOfChoice(mlir::Value condition, const Formula &first, const Formula &second);
  Formula firstOfComparison(mlir::arith::CmpIOp compare, bool holds);
  Formula firstOfCode(mlir::Value code, mlir::arith::CmpIPredicate predicate, const mlir::APInt &constant);
  std::optional<Affine> affine(mlir::Value value);
  std::optional<Affine> affineOfArgument(mlir::BlockArgument argument);
  std::optional<Affine> affineOfArithmetic(mlir::Operation *op);
  mlir::Value nextOf(mlir::BlockArgument argument);

  static constexpr unsigned kMaxSteps = 2000;

  mutable mlir::scf::WhileOp loop;
  const LoopControl &control;
  const DecidedBranches &decided;
  llvm::DenseMap<mlir::Value, bool> invariant;
  unsigned steps = 0; ///< of the search, whose time would grow exponentially with the length of a chain of exits
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_EXITFORMULA_H
