// Retargets the LLVM module that would become PTX or a code object of AMD to the host.

#ifndef TILEWRIGHT_EMULATOR_RETARGET_H
#define TILEWRIGHT_EMULATOR_RETARGET_H

#include "tilewright/Emulator/Launch.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <utility>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilewright::emulator {

struct RetargetOptions {
  /// The slot that each parameter of the kernel is read from; empty: slot i for parameter i.
  llvm::ArrayRef<int> slots;
  /// Whether every access to global and shared memory calls the emulator, which checks and counts it.
  bool checked = false;
  /// The end of the names of intrinsics in the table of instructions that compute something else on this GPU than on
  /// others: ".fnuz" where 8-bit floats are those without infinity and negative zero.
  llvm::StringRef variant;
};

/// Turns the module's kernel into a function of the same name and of type ThreadCode, and returns its sites. Requires a
/// module with one kernel, after LLVM's optimizer for NVPTX or AMDGPU has run; `host` is the machine that it will be
/// compiled for. Fails if an instruction is not in the table; the error names the instruction and its line.
llvm::Expected<std::vector<Site>> retarget(llvm::Module &module, llvm::StringRef name, const RetargetOptions &options,
                                           const llvm::TargetMachine &host);

/// The functions that retargeted code may call, and the variable that it may read, with their symbols, for the linker.
std::vector<std::pair<const char *, void *>> calledFunctions();

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_RETARGET_H
