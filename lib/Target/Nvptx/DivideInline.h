// Divides 64-bit integers without calls in kernels with wgmma.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_DIVIDEINLINE_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_DIVIDEINLINE_H

#include "llvm/IR/PassManager.h"

namespace tilewright::nvptx {

/// In functions with wgmma, divides integers of 64 bits that fit in 32 bits as such, and others bit by bit in a loop.
///
/// The assembler has no instruction for them, and nvJitLink calls a function instead. If a function with wgmma calls
/// another one, which might use the accumulators' registers, the assembler executes its wgmma one at a time (C7509).
/// ptxas puts the code in line, which is not affected. Large numbers are rarely divided beside matrix products: row
/// numbers are, in 64 bits because addresses are.
struct DivideInline : llvm::PassInfoMixin<DivideInline> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_DIVIDEINLINE_H
