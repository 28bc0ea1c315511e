// The families of instructions. Each is defined in the file of its name.

#ifndef TILEWRIGHT_LIB_EMULATOR_INSTRUCTIONS_FAMILIES_H
#define TILEWRIGHT_LIB_EMULATOR_INSTRUCTIONS_FAMILIES_H

#include "tilewright/Emulator/Instruction.h"

#include <cstddef>

namespace tilewright::emulator {

struct Access;

/// The rows of a constant table.
class Family {
public:
  template <size_t count>
  constexpr Family(const Instruction (&rows)[count]) noexcept : first(rows), last(rows + count) {}
  const Instruction *begin() const { return first; }
  const Instruction *end() const { return last; }

private:
  const Instruction *first, *last;
};

extern const Family kRegisterInstructions;
extern const Family kBarrierInstructions;
extern const Family kAsyncCopyInstructions;
extern const Family kBoxCopyInstructions;
extern const Family kMbarrierInstructions;
extern const Family kMemoryInstructions;
extern const Family kAtomicInstructions;
extern const Family kControlInstructions;
extern const Family kMathInstructions;
extern const Family kHalfMathInstructions;
extern const Family kConversionInstructions;
extern const Family kWarpInstructions;
extern const Family kMatrixInstructions;
extern const Family kByteMatrixInstructions;
extern const Family kMmaFloatInstructions;
extern const Family kMmaIntegerInstructions;
extern const Family kMmaDoubleInstructions;
extern const Family kWgmmaInstructions;
extern const Family kRegisterCountInstructions;

// Of AMD's GPUs.
extern const Family kWaveRegisterInstructions;
extern const Family kWaveLaneInstructions;
extern const Family kWaveMathInstructions;
extern const Family kWaveConversionInstructions;
extern const Family kWaveMatrixInstructions;
extern const Family kWaveControlInstructions;

/// Checks and counts an access that a thread is about to make if it is `active`. Ends the launch if the access must not
/// be performed.
void observe(const Access &access, bool active);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_INSTRUCTIONS_FAMILIES_H
