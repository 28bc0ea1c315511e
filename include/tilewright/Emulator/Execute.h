// Executes one instruction on one warp with given operands, to compare the emulator with the hardware.

#ifndef TILEWRIGHT_EMULATOR_EXECUTE_H
#define TILEWRIGHT_EMULATOR_EXECUTE_H

#include "tilewright/Emulator/Launch.h"

#include <vector>

namespace tilewright::emulator {

struct Instruction;

struct Execution {
  const Instruction &instruction;
  /// The slots of lane 0's operands, then lane 1's, and so on, for all lanes of a warp.
  std::vector<uint64_t> operands;
  /// The number of result slots of each lane.
  size_t results = 1;
  /// The initial contents of shared memory, which has this size. If it is not empty, the instruction's first operand is
  /// an address, given as an offset from the beginning of shared memory.
  std::vector<unsigned char> shared;
  Settings settings;
  int architecture = 90; ///< as Kernel::architecture
  int lanes = 32;        ///< as Kernel::lanes
};

struct Outcome {
  std::vector<uint64_t> results; ///< ordered by lane, as the operands are
  std::vector<unsigned char> shared;
  std::vector<Report> reports;
};

/// Requires that each lane has as many operands as the instruction.
Outcome executeInstruction(const Execution &execution);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_EXECUTE_H
