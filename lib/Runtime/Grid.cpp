#include "tilewright/Runtime/Grid.h"

namespace tilewright::runtime {

std::optional<Grid> Grid::make(const std::array<int64_t, 3> &axes) {
  Grid grid;
  bool empty = false, tooMany = false;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (axes[axis] < 0 || axes[axis] > INT32_MAX) {
      return std::nullopt;
    }
    grid.axes[axis] = static_cast<int32_t>(axes[axis]);
    empty |= axes[axis] == 0;
    tooMany |= __builtin_mul_overflow(grid.programs, axes[axis], &grid.programs);
  }
  if (empty) {
    grid.programs = 0;
  } else if (tooMany) {
    return std::nullopt;
  }
  return grid;
}

} // namespace tilewright::runtime
