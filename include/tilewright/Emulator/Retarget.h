// From the LLVM module that becomes PTX to one that runs on the host.

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
  /// Which slot each parameter of the kernel is read from; empty: one after the other.
  llvm::ArrayRef<int> slots;
  /// Whether every access of global and shared memory calls the emulator, which checks and counts it.
  bool checked = false;
};

/// Makes of the module's kernel a function ThreadCode of the same name, for the host. Requires the module as LLVM's
/// optimiser for NVPTX leaves it, with one kernel; `host` is the machine it is to be compiled for afterwards. An
/// instruction without a function is an error that names it and its line.
llvm::Expected<std::vector<Site>> retarget(llvm::Module &module, llvm::StringRef kernel, const RetargetOptions &options,
                                           const llvm::TargetMachine &host);

/// What the code calls, by name; for the linker.
std::vector<std::pair<const char *, void *>> calledFunctions();

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_RETARGET_H
