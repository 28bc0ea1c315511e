// Module-level symbols besides the kernel: functions that CUDA's driver links into every kernel (printing, failed
// assertions), and strings. They get the module's location, as that of a use may be an inlined call site, which is only
// valid inside a function.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILEGPUTOTHREAD_DEVICECALLS_H
#define TILEWRIGHT_LIB_CONVERSION_TILEGPUTOTHREAD_DEVICECALLS_H

#include "Distribute.h"

namespace tilewright::distribute {

/// The module around the builder's insertion point.
mlir::ModuleOp moduleAround(Builder &builder);

/// Returns the function's declaration, and creates it on first use.
mlir::LLVM::LLVMFuncOp declareFunction(Builder &builder, llvm::StringRef name, mlir::LLVM::LLVMFunctionType type);

/// Creates a global C string and returns its address.
mlir::Value createText(Builder &builder, llvm::StringRef text);

} // namespace tilewright::distribute

#endif // TILEWRIGHT_LIB_CONVERSION_TILEGPUTOTHREAD_DEVICECALLS_H
