// Expresses the ranges of a kernel's integers in terms of its arguments and the grid, as steps evaluated at launch.

#ifndef TILEWRIGHT_ANALYSIS_INDEXRANGES_H
#define TILEWRIGHT_ANALYSIS_INDEXRANGES_H

#include "tilewright/Runtime/LaunchConditions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <tuple>

namespace tilewright {

/// On a sum, difference or product of 32-bit integers: it is of unsigned integers, and wraps in addresses, too.
constexpr llvm::StringLiteral kUnsignedAttr = "tile.unsigned";
/// On an operation of a persistent kernel: its result is the program's position in the launch's grid, along this axis.
constexpr llvm::StringLiteral kPositionAttr = "tile.position";

/// The steps of every integer in a function, scalar or tile; for a tile, the range of all its elements.
class IndexRanges {
public:
  /// Gives a tile with the elements of the result of an operation of another dialect, or null.
  using SourceOf = mlir::Value (*)(mlir::Operation *);

  explicit IndexRanges(mlir::FunctionOpInterface function, SourceOf sourceOf = nullptr);

  /// A condition on a step.
  struct Check {
    runtime::RangeOp kind; ///< CheckNoWrap, CheckNonNegative or CheckSmallArrays
    int step;              ///< -1 for a value of which nothing is known
  };

  Check checkOf(runtime::RangeOp kind, mlir::Value value) const;

  /// That the sum of a loop's index and its step does not wrap, also in the last iteration.
  Check endCheckOf(mlir::scf::ForOp loop) const;

  /// That no array is so large that offsets may need more than 32 bits.
  Check smallArraysCheck();

  /// Whether the range can be evaluated at launch: the number does not depend on loaded values.
  bool isEvaluable(const Check &check) const;

  /// Whether the check succeeds in every launch, and for all loaded values.
  bool holdsAlways(const Check &check) const { return check.step >= 0 && conditionsFor(check).holdAlways(); }

  /// The checks together with the steps they depend on. `further` are the numbers of further steps that are kept; they
  /// become those in the result.
  runtime::LaunchConditions conditionsFor(llvm::ArrayRef<Check> checks, llvm::MutableArrayRef<int> further = {}) const;

  /// Steps of a value that is no value of the function: a constant, and a sum, product or signed remainder of steps of
  /// as many bits.
  int constantStep(unsigned bits, int64_t value) { return addConstant(bits, runtime::Range::of(value)); }
  int sumStep(unsigned bits, int lhs, int rhs) { return combine(runtime::RangeOp::Add, bits, lhs, rhs); }
  int productStep(unsigned bits, int lhs, int rhs) { return combine(runtime::RangeOp::Multiply, bits, lhs, rhs); }
  int remainderStep(unsigned bits, int lhs, int rhs) {
    return combine(runtime::RangeOp::RemainderSigned, bits, lhs, rhs);
  }
  /// Either of two values.
  int joinStep(unsigned bits, int lhs, int rhs) { return combine(runtime::RangeOp::Join, bits, lhs, rhs); }
  /// The step of a value, reduced to fewer bits.
  int truncatedStep(int step, unsigned bits) {
    return addStep(runtime::RangeOp::Truncate, bits, step, 0, opaque[step]);
  }
  /// The step of a value that is `init` before a loop and to which each iteration adds the `amounts`, all of as many
  /// bits; -1 if the trip count can't be expressed in them.
  int advancedStep(mlir::scf::ForOp loop, unsigned bits, int init, llvm::ArrayRef<int> amounts);
  /// The step of a value, extended to a signed integer of at least as many bits.
  int extendedStep(mlir::Value value, unsigned bits) { return widen(stepOf(value), bits); }

private:
  void addBlock(mlir::Block &block);
  void addOperation(mlir::Operation *op);
  void addLoop(mlir::scf::ForOp loop);
  void addArithmetic(mlir::Operation *op);
  int advance(mlir::scf::ForOp loop, unsigned carried);
  int upperStepOf(mlir::scf::ForOp loop);

  /// The step of a value; one with the full range of the type if nothing is known.
  int stepOf(mlir::Value value);
  int addStep(runtime::RangeOp op, unsigned bits, int64_t lhs, int64_t rhs, bool isOpaque);
  int addConstant(unsigned bits, runtime::Range range, bool isOpaque = false);
  int addUnknown(mlir::Type type);
  int combine(runtime::RangeOp op, unsigned bits, int lhs, int rhs);
  int widen(int step, unsigned bits);
  void join(mlir::Value result, mlir::ValueRange sources);

  SourceOf sourceOf;
  bool isPersistent = false;
  std::vector<runtime::RangeStep> steps;
  /// The number of each step, by its operation, width and operands, and by whether it is opaque.
  std::map<std::tuple<runtime::RangeOp, unsigned, int64_t, int64_t, bool>, int> numbers;
  /// For each step, whether it depends on values unknown at launch without a bound.
  std::vector<bool> opaque;
  llvm::DenseMap<mlir::Value, int> stepOfValue;
  /// For each signed loop, the step of its index plus its increment.
  llvm::DenseMap<mlir::Operation *, int> endOfLoop;
};

/// The bit width of an integer, an index, or the element of such a tile; 0 for any other type.
unsigned integerBits(mlir::Type type);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_INDEXRANGES_H
