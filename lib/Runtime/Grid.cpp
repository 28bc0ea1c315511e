#include "tilewright/Runtime/Grid.h"

#include <algorithm>

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

std::optional<Grid> startedGrid(const Grid &launch, int64_t atOnce) {
  bool fits = launch.programs <= kMostPersistentPrograms;
  return fits ? Grid::make({std::min(launch.programs, atOnce), 1, 1}) : std::nullopt;
}

std::string describeTooManyPrograms(const Grid &launch) {
  return "the grid has " + std::to_string(launch.programs) + " programs, and a persistent kernel at most " +
         std::to_string(kMostPersistentPrograms) + "; one with persistent=False has no such limit";
}

} // namespace tilewright::runtime
