// Whether iterations exist that a pipelined loop starts ahead.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_ITERATIONPREDICATES_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_ITERATIONPREDICATES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::tilegpu {

/// Replaces the predicates that upstream's pipeliner emits, which compare sums and differences that may wrap: at the
/// ends of an integer's range, `first + step < end` may hold for an iteration that does not exist.
class IterationPredicates {
public:
  explicit IterationPredicates(mlir::scf::ForOp loop);

  /// The predicate that takes the place of `predicate`: that one, unless its arithmetic may wrap. Null if it does not
  /// have one of the forms that upstream's pipeliner is known to emit.
  mlir::Value replace(mlir::RewriterBase &rewriter, mlir::Value predicate);

private:
  mlir::scf::ForOp loop;
  bool mayWrap;
  llvm::DenseMap<mlir::Value, mlir::Value> replaced;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_EXPANDPIPELINE_ITERATIONPREDICATES_H
