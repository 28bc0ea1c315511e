// The number of iterations of a loop, computed before it.
//
//     %first = %start >= %limit ? 0 : ceildiv(%limit - %start, %slope)      the closed form of start + t * slope >=
//     limit %trips = scf.if %exact { min(%trips, %first) } else { scf.while ... }
//
// The closed form counts in 64 bits. It is exact if the loop's 32-bit values do not wrap before the loop ends, which is
// checked when the kernel runs. Otherwise a loop of scalars counts the iterations.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_TRIPCOUNT_H
#define TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_TRIPCOUNT_H

#include "ExitFormula.h"

namespace tilewright {

struct TripCount {
  mlir::Value full;    ///< the number of iterations before the one that ends the loop early, if there is one
  mlir::Value stopped; ///< whether there is one; null for a loop without a flag
  mlir::Value limit;   ///< a value that `full` plus `stopped` never exceed; null if none is known
};

/// How to compute a trip count.
struct TripCountPlan {
  mlir::Type type;                  ///< of the count: i32 if it is known to fit, else i64
  std::optional<unsigned> counter;  ///< a loop-carried value that counts the iterations
  mlir::Value bound;                ///< the loop ends when the counter has come to this invariant value; may be null
  bool isUnsigned = false;          ///< of the bound
  std::optional<ExitFormula> ends;  ///< the first iteration that is not executed for another reason
  std::optional<ExitFormula> stops; ///< the first iteration that sets the flag
};

/// `decided` are the branches of iterations that do not end the loop early.
TripCountPlan planTripCount(mlir::scf::WhileOp loop, const LoopControl &control, const DecidedBranches &decided);

/// Computes the count before the loop, where the builder inserts.
TripCount emitTripCount(mlir::OpBuilder &builder, mlir::scf::WhileOp loop, const LoopControl &control,
                        const TripCountPlan &plan);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_WHILETOFOR_TRIPCOUNT_H
