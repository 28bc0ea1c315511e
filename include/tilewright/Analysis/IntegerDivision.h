// Integer divisions and remainders, which are undefined for some operands.

#ifndef TILEWRIGHT_ANALYSIS_INTEGERDIVISION_H
#define TILEWRIGHT_ANALYSIS_INTEGERDIVISION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace tilewright {

inline bool isIntegerDivision(mlir::Operation *op) {
  using namespace mlir::arith;
  return mlir::isa<DivSIOp, DivUIOp, RemSIOp, RemUIOp, FloorDivSIOp, CeilDivSIOp, CeilDivUIOp>(op);
}

/// Whether a division is defined for all dividends. MLIR takes all remainders for speculatable; LLVM does not.
inline bool isSafeDivision(mlir::Operation *op) {
  llvm::APInt divisor;
  return matchPattern(op->getOperand(1), mlir::m_ConstantInt(&divisor)) && !divisor.isZero() && !divisor.isAllOnes();
}

} // namespace tilewright

#endif // TILEWRIGHT_ANALYSIS_INTEGERDIVISION_H
