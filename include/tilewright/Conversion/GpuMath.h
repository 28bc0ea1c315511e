// What math-to-ptx and math-to-rocdl share.

#ifndef TILEWRIGHT_CONVERSION_GPUMATH_H
#define TILEWRIGHT_CONVERSION_GPUMATH_H

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace tilewright {

/// Whether LLVM lowers the operation to one or a few instructions of a GPU.
inline bool isGpuInstruction(mlir::Operation *op) {
  using namespace mlir::math;
  return llvm::isa<AbsFOp, AbsIOp, CeilOp, CopySignOp, CountLeadingZerosOp, CountTrailingZerosOp, CtPopOp, FloorOp,
                   FmaOp, RoundOp, RoundEvenOp, SqrtOp, TruncOp>(op);
}

/// An error for each other operation of the math dialect, which LLVM would turn into the call of a library's function.
inline llvm::LogicalResult checkGpuMath(mlir::Operation *root) {
  mlir::WalkResult result = root->walk([](mlir::Operation *op) -> mlir::WalkResult {
    if (!llvm::isa_and_nonnull<mlir::math::MathDialect>(op->getDialect()) || isGpuInstruction(op)) {
      return mlir::WalkResult::advance();
    }
    return op->emitError() << "there is no " << op->getName().stripDialect() << " of "
                           << mlir::getElementTypeOrSelf(op->getResult(0).getType()) << " on a GPU";
  });
  return llvm::failure(result.wasInterrupted());
}

} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_GPUMATH_H
