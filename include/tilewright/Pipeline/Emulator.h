// The way of a kernel for an NVIDIA GPU to the host, which emulates the GPU.

#ifndef TILEWRIGHT_PIPELINE_EMULATOR_H
#define TILEWRIGHT_PIPELINE_EMULATOR_H

#include "tilewright/Emulator/Launch.h"
#include "tilewright/Pipeline/Cuda.h"

namespace tilewright {

struct EmulatorCompileOptions {
  /// As for the GPU itself; the assembler is not needed. Dumps end with "llvm" as the GPU has it, "host" (LLVM IR as it
  /// runs) and "asm".
  CudaCompileOptions cuda;
  /// Whether accesses of memory can be checked and counted.
  bool checked = false;
};

struct CompiledForEmulator {
  std::string object; ///< relocatable object file
  std::string symbol; ///< its entry point, an emulator::ThreadCode
  int64_t sharedBytes = 0;
  std::vector<int64_t> launchConditions;
  std::vector<emulator::Site> sites;
  std::vector<AccessPlace> accesses;
  std::vector<std::pair<std::string, double>> seconds;
};

/// Compiles a module with one kernel, which is consumed, as compileForCuda() does.
std::optional<CompiledForEmulator> compileForEmulator(mlir::ModuleOp module, const EmulatorCompileOptions &options,
                                                      CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_EMULATOR_H
