// Kernels in the LLVM dialect, and the way to PTX and to the assembler that this machine has.

#ifndef TILEWRIGHT_TEST_UNIT_TARGET_NVPTXSAMPLES_H
#define TILEWRIGHT_TEST_UNIT_TARGET_NVPTXSAMPLES_H

#include "tilewright/Target/Nvptx.h"

namespace tilewright::nvptx {

/// A vector load, a shuffle, shared memory behind a barrier.
extern const char *const kSum;

/// A product of tensor cores.
extern const char *const kProduct;

/// From a module's text to PTX.
llvm::Expected<std::string> compileToPtx(llvm::StringRef source, const hardware::NvidiaInfo &info,
                                         const MachineOptions &options = {});

/// The library that TILEWRIGHT_NVJITLINK names and the program in the PATH.
AssembleOptions findAssemblers();

/// Without any the test is skipped.
#define SKIP_WITHOUT_ASSEMBLER(options)                                                                                \
  AssembleOptions options = findAssemblers();                                                                          \
  if (options.nvJitLink.empty() && options.ptxas.empty()) {                                                            \
    GTEST_SKIP() << "no assembler: set TILEWRIGHT_NVJITLINK, as bin/test does, or have ptxas in the PATH";             \
  }

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_TEST_UNIT_TARGET_NVPTXSAMPLES_H
