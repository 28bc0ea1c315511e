// Dumps of code for the host, shared by the CPU and the emulator pipelines.

#ifndef TILEWRIGHT_LIB_PIPELINE_HOSTCODE_H
#define TILEWRIGHT_LIB_PIPELINE_HOSTCODE_H

#include "tilewright/Pipeline/Compilation.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilewright {

/// The text of an LLVM module, as dumped after a phase.
std::string printModule(const llvm::Module &module);

/// Dumps a module for the host under the name of the phase, and its assembly as "asm".
void dumpHostCode(const Compilation &compilation, llvm::StringRef phase, const llvm::Module &module,
                  llvm::TargetMachine &machine);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_PIPELINE_HOSTCODE_H
