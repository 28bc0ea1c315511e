// PTX as a target: LLVM generates it from the LLVM dialect, in this process. Neither a GPU nor a driver is needed.
//
//     auto machine = nvptx::createTargetMachine(*hardware::lookupNvidia("sm_90a"));
//     auto module = nvptx::translate(source, context, **machine);
//     nvptx::optimize(**module, **machine);
//     auto ptx = nvptx::emitPtx(**module, **machine);
//
// Target/Cuda/Assemble.h assembles the PTX.

#ifndef TILEWRIGHT_TARGET_NVPTX_NVPTX_H
#define TILEWRIGHT_TARGET_NVPTX_NVPTX_H

#include "tilewright/Hardware/Nvidia.h"

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

namespace tilewright::nvptx {

struct MachineOptions {
  /// The PTX version that the kernel's instructions need, 86 for 8.6. The target's codeVersion() is used if it is
  /// later.
  int ptxVersion = 0;
};

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const hardware::NvidiaInfo &info,
                                                                         const MachineOptions &options = {});

/// Translates the module to LLVM IR for the machine. A multiplication and an addition are fused into one instruction,
/// with one rounding, if both have the fast-math flag `contract`. Functions with `nvvm.kernel` are kernels; all others
/// become internal.
///
/// Source lines are preserved in functions with a debug scope. Its compile unit should have the emission kind
/// DebugDirectivesOnly, because all others make the assembler generate unoptimized code. Denormal numbers are
/// preserved, except by intrinsics that flush them.
llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp source, llvm::LLVMContext &context,
                                                        llvm::TargetMachine &machine);

/// Runs LLVM's -O3 without its vectorizers. Splits vectors of any length into 32-bit words and pairs of 16-bit
/// elements.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Merges accesses to adjacent memory, as the first step of the PTX code generator does. For users of the module that
/// need the accesses that the GPU performs, such as the emulator.
void mergeAccesses(llvm::Module &module, llvm::TargetMachine &machine);

/// Generates PTX. Returns an error if the module calls an undefined function, including those of libdevice. After a
/// failure the module, its context and the machine must be leaked, because LLVM may have stopped in the middle of a
/// pass.
llvm::Expected<std::string> emitPtx(llvm::Module &module, llvm::TargetMachine &machine);

/// Whether the module multiplies matrices by an instruction.
bool hasMatrixInstruction(const llvm::Module &module);

/// Whether a function of the module has a loop.
bool hasLoop(llvm::Module &module);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_TARGET_NVPTX_NVPTX_H
