// Widens minima and maxima that NVIDIA's assembler miscompiles.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_WIDENEXTREMA_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_WIDENEXTREMA_H

#include "llvm/IR/PassManager.h"

namespace tilewright::nvptx {

/// Computes minima and maxima of scalar integers of 8 and 16 bits with 32 bits.
///
/// For sm_90, the assemblers of CUDA 12.8 and 13.0 compute `max.s16 m, x, c` and `setp.eq.b16 p, m, c` by one
/// instruction, `VIMNMX.S16x2 m, p, p, x, c`, and take its predicate for the comparison. It is another one:
/// where(max(x, 0) == 0, 7, max(x, 0)) is 7 for positive x, too. So it is with `min`, and with `u16`. Those of 32 bits
/// are right.
struct WidenExtrema : llvm::PassInfoMixin<WidenExtrema> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_WIDENEXTREMA_H
