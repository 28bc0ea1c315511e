// Extends pairs of bfloat16 with fewer instructions than NVIDIA's assembler does.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_EXTENDBFLOATPAIRS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_EXTENDBFLOATPAIRS_H

#include "llvm/IR/PassManager.h"

namespace tilewright::nvptx {

/// Extends vectors of bfloat16 by a shift and a mask of each word, which holds two elements.
///
/// LLVM takes the word apart and extends each half by `cvt.f32.bf16`; the assembler then moves the upper half down and
/// shifts it up again.
struct ExtendBfloatPairs : llvm::PassInfoMixin<ExtendBfloatPairs> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_EXTENDBFLOATPAIRS_H
