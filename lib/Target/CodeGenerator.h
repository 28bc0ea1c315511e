// The steps from the LLVM dialect to assembly or object code that all targets share.

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

/// Sets a boolean command line option of LLVM that TargetOptions does not have, for the whole process. Does nothing if
/// the option does not exist, for example because it belongs to another architecture's back end.
void setFlag(llvm::StringRef name, bool value);
/// The same for an option whose value is a number.
void setNumber(llvm::StringRef name, unsigned value);

/// LLVM's back end for the triple, which must have been initialized.
llvm::Expected<const llvm::Target *> lookupBackend(const llvm::Triple &triple);

/// Translates the module to LLVM IR with the machine's triple and data layout.
llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp source, llvm::LLVMContext &context,
                                                        llvm::TargetMachine &machine);

/// Runs LLVM's standard pipeline with the machine's cost model. `extend` may add passes at its extension points.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, llvm::OptimizationLevel level,
              const llvm::PipelineTuningOptions &tuning,
              llvm::function_ref<void(llvm::PassBuilder &)> extend = nullptr);

/// Generates code into memory. Returns LLVM's errors, including fatal ones. After a failure the module, its context and
/// the machine must be leaked, because LLVM may have stopped in the middle of a pass.
llvm::Expected<llvm::SmallVector<char, 0>> emit(llvm::Module &module, llvm::TargetMachine &machine,
                                                llvm::CodeGenFileType type);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_TARGET_CODEGENERATOR_H
