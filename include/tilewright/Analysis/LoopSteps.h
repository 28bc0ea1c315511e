// By which multiples a value differs between iterations of loops.

#ifndef TILEWRIGHT_ANALYSIS_LOOPSTEPS_H
#define TILEWRIGHT_ANALYSIS_LOOPSTEPS_H

#include "mlir/IR/Value.h"

namespace tilewright {

/// A number that divides the difference of an integer's values, or of each element of a tile of integers, in any two
/// iterations of all loops around it; 0 if the value never changes while the function is executed, and 1 if nothing is
/// known. The difference of pointers is counted in what they point to.
///
/// Values may wrap around at 2^32 or 2^64, so only divisors of the result that are powers of two up to 2^32 are
/// reliable.
int64_t stepBetweenIterations(mlir::Value value);

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_LOOPSTEPS_H
