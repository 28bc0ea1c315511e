// Translates inline assembly to calls of the emulator's functions.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYCALLS_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYCALLS_H

#include "EmulatedCalls.h"

#include "llvm/Support/Error.h"

namespace tilewright::emulator {

/// The row of the last instruction of an inline assembly string, for which the other ones prepare operands; null if it
/// is not in the table.
const Instruction *rowOfAssembly(const llvm::CallInst &call);

/// Replaces a call of inline assembly by calls of the functions of its instructions.
llvm::Error replaceAssembly(llvm::CallInst &call, EmulatedCalls &calls);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_ASSEMBLYCALLS_H
