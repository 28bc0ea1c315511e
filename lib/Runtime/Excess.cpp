#include "tilewright/Runtime/Excess.h"

namespace tilewright::runtime {

std::string describe(const Excess &excess, const std::string &device) {
  return "needs " + std::to_string(excess.required) + " " + excess.unit + ", and " + device + " has " +
         std::to_string(excess.limit) + "; " + excess.advice;
}

std::optional<Excess> excessOfGrid(const std::array<int64_t, 3> &limits, const Grid &grid) {
  for (int axis = 0; axis < 3; ++axis) {
    if (grid.axes[axis] > limits[axis]) {
      return Excess{"grid", "programs along axis " + std::to_string(axis) + " of its grid", grid.axes[axis],
                    limits[axis], axis > 0 ? "axis 0 may be longer" : "let each program do more"};
    }
  }
  return std::nullopt;
}

} // namespace tilewright::runtime
