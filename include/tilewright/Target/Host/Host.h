// Processors as targets: their description, code generation by LLVM, and loading the host's code into this process.

#ifndef TILEWRIGHT_TARGET_HOST_HOST_H
#define TILEWRIGHT_TARGET_HOST_HOST_H

#include "tilewright/Target/Host/LinkedCode.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
class Triple;
} // namespace llvm

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilewright::host {

/// A processor, as LLVM describes it.
struct HostTarget {
  std::string triple;
  std::string cpu;
  std::string features; ///< "+avx2,+fma,..."

  /// All properties that the generated code depends on, for cache keys.
  std::string key() const;
  bool has(llvm::StringRef feature) const;
};

/// The architectures whose code generators are linked.
enum class Architecture { X86_64, AArch64 };

/// The architecture's name in messages: "x86-64".
llvm::StringRef stringifyArchitecture(Architecture architecture);

/// The architecture of a triple, or none if its code generator is not linked.
std::optional<Architecture> findArchitecture(const llvm::Triple &triple);

/// The processor this process runs on.
const HostTarget &getHost();

/// A generation of an architecture's processors, by its vector instructions.
struct Level {
  Architecture architecture;
  llvm::StringLiteral name;                       ///< "avx2"
  llvm::StringLiteral processor;                  ///< LLVM's name: "x86-64-v3"
  llvm::ArrayRef<llvm::StringLiteral> features;   ///< what a processor must have to run the code
  llvm::ArrayRef<llvm::StringLiteral> processors; ///< LLVM's names of processors of this generation
};
llvm::ArrayRef<Level> levels();

/// The processor with this name: that of a level, or one of its processors. If the name is empty, the host.
llvm::Expected<HostTarget> lookUpProcessor(llvm::StringRef name);

/// The architecture of a processor if it is not the host's, so that the host can't run its code.
std::optional<Architecture> findForeignArchitecture(llvm::StringRef name);

/// The features that the host lacks to run code for a processor of its architecture.
std::vector<llvm::StringRef> missingFeatures(llvm::StringRef name);

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const HostTarget &target);

/// Translates a module in the LLVM dialect to LLVM IR, and calls prepare().
llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp source, llvm::LLVMContext &context,
                                                        llvm::TargetMachine &machine);

/// Sets the attributes that select the processor on all functions of a module.
void prepare(llvm::Module &module, llvm::TargetMachine &machine);

void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Generates a relocatable object file, or its assembly. After a failure the module, its context and the machine must
/// be leaked, because LLVM may have stopped in the middle of a pass.
llvm::Expected<llvm::SmallVector<char, 0>> emit(llvm::Module &module, llvm::TargetMachine &machine, bool assembly);

/// The symbol and address of a function that the code calls.
using Callee = std::pair<const char *, void *>;

/// Links an object file into this process for its `symbol`. The code may call the runtime's functions
/// (KernelSupport.h), `callees`, and the process's exported functions. If memory runs out, the error's code is
/// std::errc::not_enough_memory.
llvm::Expected<LinkedCode> link(llvm::StringRef object, llvm::StringRef symbol, llvm::ArrayRef<Callee> callees = {});

} // namespace tilewright::host

#endif // TILEWRIGHT_TARGET_HOST_HOST_H
