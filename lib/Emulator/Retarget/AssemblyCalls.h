// Inline assembly to calls of the emulator.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYCALLS_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYCALLS_H

#include "EmulatedCalls.h"

#include "llvm/Support/Error.h"

namespace tilewright::emulator {

/// The row of the last instruction of a piece of assembly, which is what the others prepare; null where it has none.
const Instruction *rowOfAssembly(const llvm::CallInst &call);

/// Replaces a call of inline assembly by what its text says.
llvm::Error replaceAssembly(llvm::CallInst &call, EmulatedCalls &calls);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYCALLS_H
