// What a kernel may use at most on a target. The numbers of a target are in the tables of its vendor (Nvidia.h); those
// of a device in this machine are the driver's (Runtime/Cuda/Limits.h).

#ifndef TILEWRIGHT_HARDWARE_LIMITS_H
#define TILEWRIGHT_HARDWARE_LIMITS_H

#include <array>
#include <cstdint>
#include <optional>

namespace tilewright::hardware {

/// A resource that programs of the target do not have has no limit.
struct Limits {
  std::optional<int64_t> threads;            ///< per program
  std::optional<int64_t> lanesPerWarp;       ///< threads of a warp
  std::optional<int64_t> sharedBytes;        ///< of shared memory per program
  std::optional<int64_t> registers;          ///< of 32 bits per program
  std::optional<int64_t> registersPerThread; ///< of 32 bits
  /// Programs along each axis. A program's position is an int32.
  std::array<int64_t, 3> grid = {INT32_MAX, INT32_MAX, INT32_MAX};
};

} // namespace tilewright::hardware

#endif // TILEWRIGHT_HARDWARE_LIMITS_H
