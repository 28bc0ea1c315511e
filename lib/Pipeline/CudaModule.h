// The pipeline for NVIDIA GPUs up to the LLVM module before PTX.

#ifndef TILEWRIGHT_LIB_PIPELINE_CUDAMODULE_H
#define TILEWRIGHT_LIB_PIPELINE_CUDAMODULE_H

#include "tilewright/Hardware/Nvidia.h"
#include "tilewright/Pipeline/Cuda.h"
#include "tilewright/Pipeline/GpuModule.h"
#include "tilewright/Target/Cuda/Assemble.h"

namespace tilewright {

/// The optimized module that becomes PTX.
struct CudaModule : GpuModule {
  const hardware::NvidiaInfo *info = nullptr;
  cuda::Overlap overlap = cuda::Overlap::None;
};

/// How many programs fit on a multiprocessor at once, "programs", and how many would if only one resource had a limit:
/// "warps", "shared memory", and "registers" unless their number is 0, which means unknown.
llvm::json::Object describeOccupancy(const hardware::NvidiaInfo &info, int threads, int registers, int64_t sharedBytes);

/// Runs the phases up to CudaPhase::LLVM and LLVM's optimizer. Fails if the kernel exceeds `limits`. Sets `failure` if
/// it returns nothing.
std::optional<CudaModule> buildCudaModule(mlir::ModuleOp module, llvm::StringRef target, const hardware::Limits &limits,
                                          const CudaOptions &options, Compilation &compilation,
                                          CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_PIPELINE_CUDAMODULE_H
