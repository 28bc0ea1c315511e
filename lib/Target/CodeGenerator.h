// The steps from the LLVM dialect to text or bytes that are the same for every target.

#ifndef TILEWRIGHT_LIB_TARGET_CODEGENERATOR_H
#define TILEWRIGHT_LIB_TARGET_CODEGENERATOR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class OptimizationLevel;
class PassBuilder;
class PipelineTuningOptions;
class Target;
class TargetMachine;
class Triple;
} // namespace llvm

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilewright::codegen {

/// Sets a boolean option of LLVM's that has no place in TargetOptions, for the whole process. Code generators register
/// theirs with the rest of LLVM; one that is not there (another architecture's) is left alone.
void setFlag(llvm::StringRef name, bool value);

/// LLVM's back end for the triple; it must have been initialised.
llvm::Expected<const llvm::Target *> lookupBackend(const llvm::Triple &triple);

/// LLVM IR with the machine's triple and data layout.
llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                        llvm::TargetMachine &machine);

/// LLVM's standard pipeline, which asks the machine for its costs; `extend` may add passes at its extension points.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, llvm::OptimizationLevel level,
              const llvm::PipelineTuningOptions &tuning,
              llvm::function_ref<void(llvm::PassBuilder &)> extend = nullptr);

/// Generates code into memory; LLVM's errors, fatal ones too, are returned. After a failure
/// the module, its context and the machine must be leaked: LLVM may have stopped half-way.
llvm::Expected<llvm::SmallVector<char, 0>> emit(llvm::Module &module, llvm::TargetMachine &machine,
                                                llvm::CodeGenFileType type);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_TARGET_CODEGENERATOR_H
