// What lies in the module beside the kernel: functions that CUDA's driver links into every kernel (printing, failed
// assertions), and texts. It has the module's location: that of a use may be a call that was inlined, which only what
// lies in a function can have.

#ifndef TILEWRIGHT_LIB_CONVERSION_DISTRIBUTE_DEVICECALLS_H
#define TILEWRIGHT_LIB_CONVERSION_DISTRIBUTE_DEVICECALLS_H

#include "Distribute.h"

namespace tilewright::distribute {

/// The module that the builder builds in.
mlir::ModuleOp moduleAround(Builder &builder);

/// Declared once in the module.
mlir::LLVM::LLVMFuncOp declareFunction(Builder &builder, llvm::StringRef name, mlir::LLVM::LLVMFunctionType type);

/// The address of a C string.
mlir::Value createText(Builder &builder, llvm::StringRef text);

} // namespace tilewright::distribute

#endif // TILEWRIGHT_LIB_CONVERSION_DISTRIBUTE_DEVICECALLS_H
