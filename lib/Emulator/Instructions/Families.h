// The families of instructions, each in the file of its name.

#ifndef TILEWRIGHT_LIB_EMULATOR_INSTRUCTIONS_FAMILIES_H
#define TILEWRIGHT_LIB_EMULATOR_INSTRUCTIONS_FAMILIES_H

#include "tilewright/Emulator/Instruction.h"

#include <vector>

namespace tilewright::emulator {

struct Access;

extern const std::vector<Instruction> kRegisterInstructions;
extern const std::vector<Instruction> kBarrierInstructions;
extern const std::vector<Instruction> kAsyncCopyInstructions;
extern const std::vector<Instruction> kMemoryInstructions;
extern const std::vector<Instruction> kAtomicInstructions;
extern const std::vector<Instruction> kControlInstructions;
extern const std::vector<Instruction> kMathInstructions;
extern const std::vector<Instruction> kConversionInstructions;
extern const std::vector<Instruction> kWarpInstructions;
extern const std::vector<Instruction> kMatrixInstructions;
extern const std::vector<Instruction> kMmaFloatInstructions;
extern const std::vector<Instruction> kMmaIntegerInstructions;
extern const std::vector<Instruction> kMmaDoubleInstructions;

/// Checks and counts an access that a thread is about to make if it is `active`. Does not return where it may not.
void observe(const Access &access, bool active);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_INSTRUCTIONS_FAMILIES_H
