// The limits of a device for blocks and grids, and the test whether a kernel exceeds them.

#ifndef TILEWRIGHT_RUNTIME_CUDA_LIMITS_H
#define TILEWRIGHT_RUNTIME_CUDA_LIMITS_H

#include "tilewright/Runtime/Excess.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tilewright::runtime::cuda {

using runtime::Excess;

/// The limits of a device, per block except for `grid`.
struct DeviceLimits {
  int threads = 0;
  int registers = 0;   ///< 32-bit registers
  int sharedBytes = 0; ///< static and dynamic, for kernels that opt in to more than 48 KiB
  std::array<int, 3> grid = {0, 0, 0};
};

/// The resources of a kernel, as the driver reports them.
struct KernelResources {
  int registers = 0;  ///< per thread
  int localBytes = 0; ///< per thread: spilled registers, and arrays that are not kept in registers
  int staticSharedBytes = 0;
  int maxThreads = 0; ///< per block, as limited by its registers and by the code's own declaration
};

/// The first limit of the device that a block of the kernel exceeds.
std::optional<Excess> excessOfBlock(const DeviceLimits &limits, const KernelResources &kernel, int threads,
                                    int64_t dynamicSharedBytes);

/// The first axis of the grid that exceeds the device's limit.
std::optional<Excess> excessOfGrid(const DeviceLimits &limits, const Grid &grid);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_LIMITS_H
