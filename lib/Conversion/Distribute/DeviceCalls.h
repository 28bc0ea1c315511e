// Calls of functions that CUDA's driver links into every kernel: printing, and failed assertions.

#ifndef TILEWRIGHT_LIB_CONVERSION_DISTRIBUTE_DEVICECALLS_H
#define TILEWRIGHT_LIB_CONVERSION_DISTRIBUTE_DEVICECALLS_H

#include "Distribute.h"

namespace tilewright::distribute {

/// Declared once in the module.
mlir::LLVM::LLVMFuncOp declareFunction(Builder &builder, llvm::StringRef name, mlir::LLVM::LLVMFunctionType type);

/// The address of a C string.
mlir::Value createText(Builder &builder, llvm::StringRef text);

} // namespace tilewright::distribute

#endif // TILEWRIGHT_LIB_CONVERSION_DISTRIBUTE_DEVICECALLS_H
