// A resource of which a kernel needs more than a device has.

#ifndef TILEWRIGHT_RUNTIME_EXCESS_H
#define TILEWRIGHT_RUNTIME_EXCESS_H

#include "tilewright/Runtime/Grid.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::runtime {

struct Excess {
  std::string resource; ///< "shared memory"
  std::string unit;     ///< "bytes of shared memory per program"
  int64_t required = 0;
  int64_t limit = 0;
  std::string advice;
};

/// "needs 300000 bytes of shared memory per program, and cuda:0 has 232448; smaller blocks take less"
std::string describe(const Excess &excess, const std::string &device);

/// The first axis of the grid that exceeds its limit.
std::optional<Excess> excessOfGrid(const std::array<int64_t, 3> &limits, const Grid &grid);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_EXCESS_H
