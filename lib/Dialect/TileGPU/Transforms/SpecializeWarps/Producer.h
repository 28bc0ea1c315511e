// The warps that specialize-warps adds to a program, and the registers of threads.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SPECIALIZEWARPS_PRODUCER_H
#define TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SPECIALIZEWARPS_PRODUCER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tilegpu {

/// The additional warps.
struct Producer {
  int warps = 1;
  int64_t programs = 1; ///< that fit on a multiprocessor

  /// Of a thread when the kernel starts, then of one of the additional warps, then of one of the others. Empty if they
  /// do not change.
  llvm::SmallVector<int32_t, 3> registers;
};

/// Warp groups can exchange registers if the assembler supports that: `canMove`. None if the program's tiles do not
/// fit beside the additional warps.
std::optional<Producer> chooseProducer(mlir::func::FuncOp function, bool canMove);

/// The programs that fit on a multiprocessor without additional warps.
int64_t programsWithoutProducer(mlir::func::FuncOp function);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_LIB_DIALECT_TILEGPU_TRANSFORMS_SPECIALIZEWARPS_PRODUCER_H
