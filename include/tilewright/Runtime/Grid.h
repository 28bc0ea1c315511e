// The grid of a launch.

#ifndef TILEWRIGHT_RUNTIME_GRID_H
#define TILEWRIGHT_RUNTIME_GRID_H

#include <array>
#include <cstdint>
#include <optional>

namespace tilewright::runtime {

/// A valid grid: each axis is in [0, 2^31 - 1], and the number of programs is below 2^63.
struct Grid {
  std::array<int32_t, 3> axes = {1, 1, 1};
  int64_t programs = 1;

  /// The grid with these axes, or nullopt if they are out of range.
  static std::optional<Grid> make(const std::array<int64_t, 3> &axes);
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_GRID_H
