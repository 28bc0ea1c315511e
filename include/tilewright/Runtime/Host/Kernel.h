// The interface between compiled code and the runtime: the entry point of a kernel.

#ifndef TILEWRIGHT_RUNTIME_HOST_KERNEL_H
#define TILEWRIGHT_RUNTIME_HOST_KERNEL_H

#include <cstddef>
#include <cstdint>

namespace tilewright::runtime {

/// Runs the programs with linear ids in [begin, end). Program (x, y, z) of the grid has the linear id x + grid[0] * (y
/// + grid[1] * z).
///
/// `slots` holds one 8-byte slot for each leaf parameter, with the value in its low bytes. `scratch` is aligned to 64
/// bytes and private to the calling thread. Returns 0, the code of the device_assert that failed, or kOutOfBounds. Code
/// that checks bounds also reads slots[-1] and slots[-2]; see AccessChecks.h.
using KernelFunction = int32_t (*)(const uint64_t *slots, const int32_t *grid, int64_t begin, int64_t end,
                                   void *scratch);

/// A compiled kernel, loaded into this process.
struct KernelEntry {
  KernelFunction function = nullptr;
  size_t scratchBytes = 0;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_HOST_KERNEL_H
