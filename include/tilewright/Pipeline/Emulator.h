// The pipeline for an emulated NVIDIA GPU, which runs on the host.

#ifndef TILEWRIGHT_PIPELINE_EMULATOR_H
#define TILEWRIGHT_PIPELINE_EMULATOR_H

#include "tilewright/Emulator/Launch.h"
#include "tilewright/Pipeline/Cuda.h"

namespace tilewright {

struct EmulatorCompileOptions {
  /// The options of the GPU pipeline; the assembler is not used. The last dumps are "llvm" (LLVM IR for the GPU),
  /// "host" (LLVM IR after retargeting) and "asm".
  CudaCompileOptions cuda;
  /// Whether memory accesses can be checked and counted.
  bool checked = false;
};

struct CompiledForEmulator {
  std::string object; ///< relocatable object file
  std::string symbol; ///< its entry point, an emulator::ThreadCode
  int64_t sharedBytes = 0;
  LaunchRequirements requirements;
  std::vector<emulator::Site> sites;
  std::vector<AccessPlace> accesses;
  std::vector<std::pair<std::string, double>> seconds;
};

/// Compiles a module with one kernel, which is consumed, as compileForCuda() does.
std::optional<CompiledForEmulator> compileForEmulator(mlir::ModuleOp module, const EmulatorCompileOptions &options,
                                                      CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_EMULATOR_H
