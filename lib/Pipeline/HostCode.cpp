#include "HostCode.h"

#include "tilewright/Target/Host/Host.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace tilewright {

std::string printModule(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

void dumpHostCode(const Compilation &compilation, llvm::StringRef phase, const llvm::Module &module,
                  llvm::TargetMachine &machine) {
  compilation.dumpText(phase, printModule(module));
  // Emit a copy because the code generator modifies the module.
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  if (auto assembly = host::emit(*copy, machine, true)) {
    compilation.dumpText("asm", llvm::StringRef(assembly->data(), assembly->size()));
  } else {
    // Emitting the object file will fail in the same way and report the error.
    (void)copy.release(); // NOLINT(bugprone-unused-return-value): leaked: LLVM may have left it inconsistent
    llvm::consumeError(assembly.takeError());
  }
}

} // namespace tilewright
