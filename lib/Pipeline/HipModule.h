// The pipeline for AMD GPUs up to the LLVM module before machine code.

#ifndef TILEWRIGHT_LIB_PIPELINE_HIPMODULE_H
#define TILEWRIGHT_LIB_PIPELINE_HIPMODULE_H

#include "tilewright/Hardware/Amd.h"
#include "tilewright/Pipeline/GpuModule.h"
#include "tilewright/Pipeline/Hip.h"

namespace tilewright {

/// The optimized module that becomes a code object.
struct HipModule : GpuModule {
  const hardware::AmdInfo *info = nullptr;
};

/// Runs the phases up to HipPhase::LLVM and LLVM's optimizer. Fails if the kernel exceeds `limits`. Sets `failure` if
/// it returns nothing.
std::optional<HipModule> buildHipModule(mlir::ModuleOp module, llvm::StringRef target, const hardware::Limits &limits,
                                        const HipOptions &options, Compilation &compilation, CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_PIPELINE_HIPMODULE_H
