// Splits arithmetic on packed integers that NVIDIA's assembler miscompiles.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_SPLITPACKEDINTEGERS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_SPLITPACKEDINTEGERS_H

#include "llvm/IR/PassManager.h"

namespace tilewright::nvptx {

/// Splits additions, subtractions, multiplications, and intrinsics such as min and max, of vectors of 8- and 16-bit
/// integers.
///
/// From sm_90 on, LLVM selects `add.s16x2` for them. The assembler of CUDA 13.0 drops constants in it: the sum of a
/// register and {65535, 0} is the register (`VIADD.16x2 R4, R0, 0x0`), at all optimization levels except -O0.
struct SplitPackedIntegers : llvm::PassInfoMixin<SplitPackedIntegers> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_SPLITPACKEDINTEGERS_H
