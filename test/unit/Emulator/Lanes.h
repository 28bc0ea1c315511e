// Executes an instruction on a warp, for tests.

#ifndef TILEWRIGHT_TEST_EMULATOR_LANES_H
#define TILEWRIGHT_TEST_EMULATOR_LANES_H

#include "tilewright/Emulator/Block.h"
#include "tilewright/Emulator/Execute.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace tilewright::emulator {

template <typename To, typename From> To sameBits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

inline uint64_t slotOf(float value) { return sameBits<uint32_t>(value); }
inline uint64_t slotOf(double value) { return sameBits<uint64_t>(value); }
inline float floatOf(uint64_t slot) { return sameBits<float>(static_cast<uint32_t>(slot)); }
inline double doubleOf(uint64_t slot) { return sameBits<double>(slot); }

using Slots = std::vector<uint64_t>;

inline Outcome executeWarp(std::string_view name, const std::function<Slots(int lane)> &operands, size_t results = 1,
                           std::vector<unsigned char> shared = {}, int architecture = 90) {
  const Instruction *row = findInstruction(name);
  if (!row) {
    ADD_FAILURE() << "there is no " << name;
    return {Slots(results * kLanes), std::move(shared), {}};
  }
  Execution execution = {*row, {}, results, std::move(shared), {}, architecture};
  for (int lane = 0; lane < kLanes; ++lane) {
    Slots slots = operands(lane);
    execution.operands.insert(execution.operands.end(), slots.begin(), slots.end());
  }
  return executeInstruction(execution);
}

/// Executes an instruction that is not collective on one thread's operands.
inline uint64_t execute(std::string_view name, Slots operands) {
  return executeWarp(name, [&](int) { return operands; }).results.front();
}

/// Executes such an instruction of one operand on the operands of many threads.
inline Slots executeEach(std::string_view name, const Slots &operands) {
  Slots results;
  for (size_t begin = 0; begin < operands.size(); begin += kLanes) {
    auto operand = [&](int lane) { return Slots{operands[std::min(begin + lane, operands.size() - 1)]}; };
    Slots some = executeWarp(name, operand).results;
    results.insert(results.end(), some.begin(), some.begin() + std::min<size_t>(kLanes, operands.size() - begin));
  }
  return results;
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_EMULATOR_LANES_H
