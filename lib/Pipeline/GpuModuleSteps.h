// Steps on the way to a GpuModule that GPUs of all vendors share.

#ifndef TILEWRIGHT_LIB_PIPELINE_GPUMODULESTEPS_H
#define TILEWRIGHT_LIB_PIPELINE_GPUMODULESTEPS_H

#include "tilewright/Hardware/Limits.h"
#include "tilewright/Pipeline/GpuModule.h"
#include "tilewright/Pipeline/Options.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright {

/// The threads of a program; fails if the target, of the given name, has fewer.
std::optional<int> checkThreads(llvm::StringRef target, const hardware::Limits &limits, const GpuOptions &options,
                                Compilation &compilation, CompileFailure &failure);

/// Records an excess if a phase failed because the kernel needs too much shared memory.
void noteSharedMemory(mlir::ModuleOp module, const hardware::Limits &limits, CompileFailure &failure);

/// Whether `make-persistent` has changed a kernel of the module, which has functions of the func dialect.
bool hasPersistentKernel(mlir::ModuleOp module);

/// What the attributes of a kernel in the LLVM dialect, and of its module, say of it.
void describeKernel(mlir::LLVM::LLVMFuncOp kernel, GpuModule &built);

/// The functions of a code generator (Target/Nvptx, Target/Amdgpu), and the phase in which it makes assembly.
struct CodeGeneratorSteps {
  llvm::Expected<std::unique_ptr<llvm::Module>> (*translate)(mlir::ModuleOp, llvm::LLVMContext &,
                                                             llvm::TargetMachine &);
  void (*optimize)(llvm::Module &, llvm::TargetMachine &);
  const char *assemblyPhase;
};

/// Translates the module to LLVM IR for the machine, links the user's libraries, optimizes, and dumps the phase "llvm".
bool buildLLVMModule(mlir::ModuleOp module, llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine,
                     const CodeGeneratorSteps &steps, Compilation &compilation, GpuModule &built);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_PIPELINE_GPUMODULESTEPS_H
