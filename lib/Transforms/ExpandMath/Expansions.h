// The expansions, one function per math operation. Operands and result are scalars or vectors of the builder's shape,
// of f64 if the name ends with Double and of f32 otherwise. Each family has its own file.
//
// coefficients.py and coefficients_double.py generate the tables of polynomials. No operation has fast-math flags: the
// range reductions rely on every rounding.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_EXPANDMATH_EXPANSIONS_H
#define TILEWRIGHT_LIB_TRANSFORMS_EXPANDMATH_EXPANSIONS_H

#include "tilewright/Transforms/MathBuilder.h"

namespace tilewright {

using Operands = llvm::ArrayRef<mlir::Value>;
using Expansion = mlir::Value (*)(MathBuilder &, Operands);

// Exponential.cpp
mlir::Value expandExp(MathBuilder &m, Operands x);
mlir::Value expandExp2(MathBuilder &m, Operands x);
mlir::Value expandExpM1(MathBuilder &m, Operands x);
/// exp(x) for results that neither overflow nor underflow: without the clamp and with one multiplication less.
mlir::Value expOfModerate(MathBuilder &m, mlir::Value x);

// DoubleExponential.cpp
mlir::Value expandExpDouble(MathBuilder &m, Operands x);
mlir::Value expandExp2Double(MathBuilder &m, Operands x);
mlir::Value expandExpM1Double(MathBuilder &m, Operands x);
mlir::Value expOfModerateDouble(MathBuilder &m, mlir::Value x);

// Logarithm.cpp
mlir::Value expandLog(MathBuilder &m, Operands x);
mlir::Value expandLog2(MathBuilder &m, Operands x);
mlir::Value expandLog10(MathBuilder &m, Operands x);
mlir::Value expandLog1p(MathBuilder &m, Operands x);
mlir::Value expandLogDouble(MathBuilder &m, Operands x);
mlir::Value expandLog2Double(MathBuilder &m, Operands x);
mlir::Value expandLog10Double(MathBuilder &m, Operands x);
mlir::Value expandLog1pDouble(MathBuilder &m, Operands x);

// Power.cpp
mlir::Value expandPow(MathBuilder &m, Operands xy);

// Sigmoidal.cpp
mlir::Value expandTanh(MathBuilder &m, Operands x);
mlir::Value expandErf(MathBuilder &m, Operands x);

// DoubleSigmoidal.cpp
mlir::Value expandTanhDouble(MathBuilder &m, Operands x);
mlir::Value expandErfDouble(MathBuilder &m, Operands x);

// Roots.cpp, for both precisions
mlir::Value expandRsqrt(MathBuilder &m, Operands x);

// Trigonometric.cpp
mlir::Value expandSin(MathBuilder &m, Operands x);
mlir::Value expandCos(MathBuilder &m, Operands x);

// DoubleTrigonometric.cpp
mlir::Value expandSinDouble(MathBuilder &m, Operands x);
mlir::Value expandCosDouble(MathBuilder &m, Operands x);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_EXPANDMATH_EXPANSIONS_H
