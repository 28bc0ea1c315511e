// The pipeline for NVIDIA GPUs up to the LLVM module before PTX, from which the emulator continues.

#ifndef TILEWRIGHT_LIB_PIPELINE_CUDAMODULE_H
#define TILEWRIGHT_LIB_PIPELINE_CUDAMODULE_H

#include "tilewright/Hardware/Nvidia.h"
#include "tilewright/Pipeline/Cuda.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace tilewright {

/// The optimized module that becomes PTX.
struct CudaModule {
  const hardware::NvidiaInfo *info = nullptr;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::string symbol;
  int threads = 0;         ///< per thread block
  int64_t sharedBytes = 0; ///< dynamic shared memory per thread block
  LaunchRequirements requirements;
  std::vector<int> slots; ///< for each parameter of the code, the index of its launch argument
  std::vector<AccessPlace> accesses;
  bool multipliesMatrices = false; ///< by matrix instructions

  /// Must be called if code generation failed, as LLVM may have left its objects in an inconsistent state.
  void leak() { (void)module.release(), (void)machine.release(), (void)context.release(); }
};

/// Runs the phases up to CudaPhase::LLVM and LLVM's optimizer. Sets `failure` if it returns nothing.
std::optional<CudaModule> buildCudaModule(mlir::ModuleOp module, llvm::StringRef target, const CudaOptions &options,
                                          Compilation &compilation, CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_PIPELINE_CUDAMODULE_H
