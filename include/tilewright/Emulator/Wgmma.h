// The operands of the functions that implement wgmma.mma_async.
//
// One function serves all n of a type. Retargeting passes what the opcode and the immediate operands say as two
// numbers, before the registers.

#ifndef TILEWRIGHT_EMULATOR_WGMMA_H
#define TILEWRIGHT_EMULATOR_WGMMA_H

#include <cstdint>

namespace tilewright::emulator::wgmma {

/// The slots of the operands. A is one descriptor, or four registers. The accumulators are also the results.
enum Slot : int { kN = 0, kForm = 1, kScaleD = 2, kB = 3, kA = 4, kAccumulators = 8 };
constexpr int kWordsOfA = kAccumulators - kA;

/// The bits of the operand kForm.
enum Form : uint64_t {
  kRegistersA = 1,  ///< A is in registers
  kTransposedA = 2, ///< A is M-major in shared memory
  kTransposedB = 4, ///< B is N-major in shared memory
  kNegatedA = 8,
  kNegatedB = 16
};

constexpr int kMostN = 256;

} // namespace tilewright::emulator::wgmma

#endif // TILEWRIGHT_EMULATOR_WGMMA_H
