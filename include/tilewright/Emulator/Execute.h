// Executes one instruction on one warp, with operands that are chosen: to compare the emulator with the hardware.

#ifndef TILEWRIGHT_EMULATOR_EXECUTE_H
#define TILEWRIGHT_EMULATOR_EXECUTE_H

#include "tilewright/Emulator/Launch.h"

#include <vector>

namespace tilewright::emulator {

struct Instruction;

struct Execution {
  const Instruction &instruction;
  /// The slots of lane 0's operands, then lane 1's, and so on, for the 32 lanes of a warp.
  std::vector<uint64_t> operands;
  /// Slots of results that a lane has.
  size_t results = 1;
  /// What is in shared memory at first, as long as shared memory is. Where there is some, an instruction's first
  /// operand is an address: that many bytes from the beginning of shared memory.
  std::vector<unsigned char> shared;
  Settings settings;
  int architecture = 90; ///< of Kernel
};

struct Outcome {
  std::vector<uint64_t> results; ///< lane by lane, as the operands are
  std::vector<unsigned char> shared;
  std::vector<Report> reports;
};

/// Requires as many operands of each lane as the instruction has.
Outcome executeInstruction(const Execution &execution);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_EXECUTE_H
