// The part of the way to an NVIDIA GPU that ends before PTX: its emulator takes the module from there.

#ifndef TILEWRIGHT_LIB_PIPELINE_CUDAMODULE_H
#define TILEWRIGHT_LIB_PIPELINE_CUDAMODULE_H

#include "tilewright/Pipeline/Cuda.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace tilewright {

/// The module that becomes PTX, optimised.
struct CudaModule {
  const hardware::NvidiaInfo *info = nullptr;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::string symbol;
  int64_t sharedBytes = 0; ///< dynamic shared memory of a block
  std::vector<int64_t> launchConditions;
  std::vector<int> slots; ///< of the code's parameters: which argument of the launch each one is
  std::vector<AccessPlace> accesses;

  /// To be called when code generation failed: LLVM may have stopped half-way.
  void leak() { (void)module.release(), (void)machine.release(), (void)context.release(); }
};

/// Runs the phases up to CudaPhase::LLVM, and LLVM's optimiser. Where nothing is returned `failure` is filled.
std::optional<CudaModule> makeCudaModule(mlir::ModuleOp module, const CudaCompileOptions &options,
                                         Compilation &compilation, CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_PIPELINE_CUDAMODULE_H
