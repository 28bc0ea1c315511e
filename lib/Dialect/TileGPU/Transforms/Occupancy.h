// How many programs run on a multiprocessor at once, as far as it is known before registers are allocated.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OCCUPANCY_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OCCUPANCY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tilegpu {

/// The programs for which shared memory and registers suffice, of which there are at least those of accumulators; 0 if
/// the buffers of one program are too large.
int64_t programsThatFit(mlir::func::FuncOp function);
/// The same for a program that uses `sharedBytes` of shared memory, whatever its buffers take, and in each thread at
/// least `registers` for accumulators.
int64_t programsThatFit(mlir::func::FuncOp function, int64_t sharedBytes, int64_t registers = 0);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_OCCUPANCY_H
