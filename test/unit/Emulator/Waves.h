// Executes an instruction of AMD's GPUs on a wave, for tests.

#ifndef TILEWRIGHT_TEST_EMULATOR_WAVES_H
#define TILEWRIGHT_TEST_EMULATOR_WAVES_H

#include "Lanes.h"

namespace tilewright::emulator {

/// `operands` are the instruction's own: lane by lane, without the place in the code.
inline Outcome executeWave(std::string_view name, int lanes, const std::function<Slots(int lane)> &operands,
                           size_t results = 1) {
  const Instruction *row = findInstruction(name);
  if (!row) {
    ADD_FAILURE() << "there is no " << name;
    return {Slots(results * lanes), {}, {}};
  }
  Execution execution = {*row, {}, results, {}, {}};
  execution.lanes = lanes;
  for (int lane = 0; lane < lanes; ++lane) {
    Slots slots = operands(lane);
    if (row->needsPlace) {
      slots.insert(slots.begin(), 7);
    }
    execution.operands.insert(execution.operands.end(), slots.begin(), slots.end());
  }
  return executeInstruction(execution);
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_EMULATOR_WAVES_H
