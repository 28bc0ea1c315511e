// Computes the value of a formula (ExitFormula.h), in 64 bits.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_CLOSEDFORM_H
#define TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_CLOSEDFORM_H

#include "ControlSlice.h"
#include "ExitFormula.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

class ClosedForm {
public:
  /// More iterations than any loop executes.
  static constexpr int64_t kNever = int64_t(1) << 62;

  /// An iteration, and whether it is the right one: no 32-bit value has wrapped before.
  struct Iteration {
    mlir::Value number, exact;
  };

  ClosedForm(mlir::ImplicitLocOpBuilder &builder, ControlSlice &invariants) : b(builder), invariants(invariants) {}

  /// The first iteration for which the formula holds, kNever if there is none. `last` is the last iteration that
  /// matters, at most 2^31; null if there is no such limit.
  Iteration emit(const ExitFormula &formula, mlir::Value last);

  mlir::Value constant(int64_t value);
  mlir::Value extend(mlir::Value value, bool isUnsigned);

private:
  Iteration emitComparison(const ExitFormula &formula, mlir::Value last);
  mlir::Value firstOf(mlir::arith::CmpIPredicate predicate, mlir::Value difference, mlir::Value slope);
  mlir::Value divide(mlir::Value dividend, mlir::Value divisor);
  mlir::Value firstNotNegative(mlir::Value start, mlir::Value slope);
  mlir::Value firstZero(mlir::Value start, mlir::Value slope);
  mlir::Value emitProduct(const InvariantProduct &product);
  mlir::Value emitStart(const Affine &affine);
  mlir::Value isExact(const Affine &affine, mlir::Value start, bool isUnsigned);
  mlir::Value fits(mlir::Value value, bool isUnsigned);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value left, mlir::Value right);
  mlir::Value select(mlir::Value condition, mlir::Value first, mlir::Value second);
  mlir::Value both(mlir::Value left, mlir::Value right);

  mlir::ImplicitLocOpBuilder &b;
  ControlSlice &invariants;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_CLOSEDFORM_H
