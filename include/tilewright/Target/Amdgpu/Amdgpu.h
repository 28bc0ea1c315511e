// AMD's GPUs as a target: LLVM generates code objects from the LLVM dialect, and lld links them, in this process. No
// GPU, driver or tool is needed.
//
//     auto machine = amdgpu::createTargetMachine(*hardware::lookupAmd("gfx942"));
//     auto module = amdgpu::translate(source, context, **machine);
//     amdgpu::optimize(**module, **machine);
//     auto object = amdgpu::emitObject(**module, **machine);
//     auto hsaco = amdgpu::link(*object);

#ifndef TILEWRIGHT_TARGET_AMDGPU_AMDGPU_H
#define TILEWRIGHT_TARGET_AMDGPU_AMDGPU_H

#include "tilewright/Hardware/Amd.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilewright::amdgpu {

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const hardware::AmdInfo &info);

/// Translates the module to LLVM IR for the machine. Functions with `rocdl.kernel` are kernels; all others become
/// internal. The code will have the layout of code objects of version 5.
llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp source, llvm::LLVMContext &context,
                                                        llvm::TargetMachine &machine);

/// Runs LLVM's -O3 without its vectorizers. It infers which of the hidden arguments and registers the kernel needs;
/// code that is generated without it takes all of them.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Generates assembly, or an object file. Return an error if the module calls an undefined function, or an intrinsic
/// that LLVM does not know. After a failure the module, its context and the machine must be leaked, because LLVM may
/// have stopped in the middle of a pass.
llvm::Expected<std::string> emitAssembly(llvm::Module &module, llvm::TargetMachine &machine);
llvm::Expected<std::string> emitObject(llvm::Module &module, llvm::TargetMachine &machine);

/// Links an object file to a code object that a device can load (hsaco). Thread-safe; calls run one after another.
llvm::Expected<std::string> link(llvm::StringRef object);

} // namespace tilewright::amdgpu

#endif // TILEWRIGHT_TARGET_AMDGPU_AMDGPU_H
