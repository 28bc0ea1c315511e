// Calls of the emulator at places where the GPU's code has no instruction of its own for it.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_INSTRUMENT_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_INSTRUMENT_H

#include "EmulatedCalls.h"

namespace tilewright::emulator {

/// Before each access of global and shared memory, and each fence, that is an instruction of LLVM.
void observeAccesses(llvm::Function &code, EmulatedCalls &calls);

/// Before each access of global and shared memory that is an instruction of LLVM, where it is not known to be right: in
/// code that is not checked.
void guardAccesses(llvm::Function &code, EmulatedCalls &calls);

/// At the beginning of each block of the code, once for each line and class of its instructions. Requires the GPU's own
/// instructions to be there still. CountInstructions.cpp.
void countInstructions(llvm::Function &code, EmulatedCalls &calls);

/// At every turn of a loop, of which Thread::ticks counts so many until the emulator is called.
void countLoops(llvm::Function &code, EmulatedCalls &calls);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_INSTRUMENT_H
