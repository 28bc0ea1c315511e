// The expansions, one function per math operation: operands and result are f32
// scalars or vectors of the builder's shape. Each family has a file of its own.

#ifndef TILEWRIGHT_LIB_CONVERSION_MATHTOVECTOR_EXPANSIONS_H
#define TILEWRIGHT_LIB_CONVERSION_MATHTOVECTOR_EXPANSIONS_H

#include "MathBuilder.h"

namespace tilewright {

using Expansion = mlir::Value (*)(MathBuilder &, llvm::ArrayRef<mlir::Value> operands);

// Roots.cpp
mlir::Value expandRsqrt(MathBuilder &m, llvm::ArrayRef<mlir::Value> operands);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_MATHTOVECTOR_EXPANSIONS_H
