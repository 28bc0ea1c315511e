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

/// How many programs fit on a multiprocessor at once, "programs", and how many would if only one resource had a limit:
/// "warps", "shared memory" and "barriers" if the program has some, and "registers" unless their number is 0, which
/// means unknown. With registers, "simd_warps" has how many warps run on a SIMD with that many programs, how many its
/// registers allow, and the most.
llvm::json::Object describeOccupancy(const hardware::AmdInfo &info, int threads, int registers, int64_t sharedBytes);

/// Runs the phases up to HipPhase::LLVM and LLVM's optimizer. Fails if the kernel exceeds `limits`. Sets `failure` if
/// it returns nothing.
std::optional<HipModule> buildHipModule(mlir::ModuleOp module, llvm::StringRef target, const hardware::Limits &limits,
                                        const HipOptions &options, Compilation &compilation, CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_PIPELINE_HIPMODULE_H
