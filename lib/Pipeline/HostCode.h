// What code generation for the host prints, whatever it is made of.

#ifndef TILEWRIGHT_LIB_PIPELINE_HOSTCODE_H
#define TILEWRIGHT_LIB_PIPELINE_HOSTCODE_H

#include "tilewright/Pipeline/Compilation.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilewright {

/// The text of LLVM IR, as a phase is dumped.
std::string printModule(const llvm::Module &module);

/// Dumps a module for the host as a phase of that name, and its assembly as "asm".
void dumpHostCode(const Compilation &compilation, llvm::StringRef phase, const llvm::Module &module,
                  llvm::TargetMachine &machine);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_PIPELINE_HOSTCODE_H
