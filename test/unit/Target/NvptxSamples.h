// Kernels in the LLVM dialect, and functions to compile them to PTX and to find the assemblers of this machine.

#ifndef TILEWRIGHT_TEST_UNIT_TARGET_NVPTXSAMPLES_H
#define TILEWRIGHT_TEST_UNIT_TARGET_NVPTXSAMPLES_H

#include "tilewright/Target/Cuda/Assemble.h"
#include "tilewright/Target/Nvptx/Nvptx.h"

namespace tilewright::nvptx {

/// A kernel with a vector load, a shuffle, shared memory and a barrier.
extern const char *const kSum;

/// A kernel with an mma.
extern const char *const kProduct;

/// Compiles the text of a module to PTX. Sets `multipliesMatrices` to the result of hasMatrixInstruction().
llvm::Expected<std::string> compileToPtx(llvm::StringRef source, const hardware::NvidiaInfo &info,
                                         const MachineOptions &options = {}, bool *multipliesMatrices = nullptr);

/// The library in TILEWRIGHT_NVJITLINK and the ptxas in the PATH.
cuda::AssembleOptions findAssemblers();

/// Skips the test if there is no assembler.
#define SKIP_WITHOUT_ASSEMBLER(options)                                                                                \
  cuda::AssembleOptions options = nvptx::findAssemblers();                                                             \
  if (options.nvJitLink.empty() && options.ptxas.empty()) {                                                            \
    GTEST_SKIP() << "no assembler: set TILEWRIGHT_NVJITLINK, as bin/test does, or have ptxas in the PATH";             \
  }

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_TEST_UNIT_TARGET_NVPTXSAMPLES_H
