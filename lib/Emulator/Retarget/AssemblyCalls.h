// Inline assembly to calls of the emulator.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYCALLS_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYCALLS_H

#include "EmulatedCalls.h"

#include "llvm/Support/Error.h"

namespace tilewright::emulator {

/// Replaces a call of inline assembly by what its text says.
llvm::Error replaceAssembly(llvm::CallInst &call, EmulatedCalls &calls);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYCALLS_H
