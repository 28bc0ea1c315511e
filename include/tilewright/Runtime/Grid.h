// The grid of a launch.

#ifndef TILEWRIGHT_RUNTIME_GRID_H
#define TILEWRIGHT_RUNTIME_GRID_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::runtime {

/// A valid grid: each axis is in [0, 2^31 - 1], and the number of programs is below 2^63.
struct Grid {
  std::array<int32_t, 3> axes = {1, 1, 1};
  int64_t programs = 1;

  /// The grid with these axes, or nullopt if they are out of range.
  static std::optional<Grid> make(const std::array<int64_t, 3> &axes);
};

/// The most programs of a launch of a persistent kernel (make-persistent): it counts them in an int32, from which one
/// step leads beyond the last.
constexpr int64_t kMostPersistentPrograms = INT32_MAX - (1 << 16);

/// The grid that starts for a launch of a persistent kernel, if `atOnce` programs run at the same time; nullopt if the
/// launch has too many.
std::optional<Grid> startedGrid(const Grid &launch, int64_t atOnce);
/// The message for such a launch.
std::string describeTooManyPrograms(const Grid &launch);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_GRID_H
