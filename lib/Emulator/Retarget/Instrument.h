// Inserts calls of the emulator that check and count what the code does.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_INSTRUMENT_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_INSTRUMENT_H

#include "EmulatedCalls.h"

namespace tilewright::emulator {

/// Replaces masked accesses by accesses of the elements whose mask is set, which the functions below see. LLVM makes
/// them of adjacent accesses with gaps between them. Must run before these functions.
void splitMaskedAccesses(llvm::Function &code);

/// For checked code: inserts a call before each LLVM instruction that accesses global or shared memory, and before each
/// fence.
void observeAccesses(llvm::Function &code, EmulatedCalls &calls);

/// For checked code: inserts a call before each instruction that reads a register that may be an accumulator of a wgmma
/// in flight. Must run before the GPU's instructions are replaced by calls. See ObserveRegisters.cpp.
void observeRegisters(llvm::Function &code, EmulatedCalls &calls);

/// For unchecked code: inserts a test before each LLVM instruction that accesses global or shared memory, and a call
/// that runs only if the address is not in the known places.
void guardAccesses(llvm::Function &code, EmulatedCalls &calls);

/// Inserts a call at the beginning of each basic block for each line and class of its instructions. Must run before the
/// GPU's instructions are replaced by calls, because it counts them. See CountInstructions.cpp.
void countInstructions(llvm::Function &code, EmulatedCalls &calls);

/// Decrements Thread::ticks in every iteration of every loop, and calls the emulator when it becomes negative.
void countLoops(llvm::Function &code, EmulatedCalls &calls);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_INSTRUMENT_H
