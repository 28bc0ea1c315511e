// What the compiler hands to the runtime: one entry point and what it needs.

#ifndef TILEWRIGHT_RUNTIME_KERNEL_H
#define TILEWRIGHT_RUNTIME_KERNEL_H

#include <cstddef>
#include <cstdint>

namespace tilewright::runtime {

/// Runs the programs with linear id in [begin, end), where the program (x, y, z)
/// of the grid has the id x + grid[0] * (y + grid[1] * z).
///
/// `slots` holds one 8-byte slot for each leaf parameter, the value in its low
/// bytes; `scratch` is aligned to 64 bytes and private to the calling thread.
/// Returns 0, the code of the device_assert that failed, or kOutOfBounds. Code that checks bounds reads slots[-1];
/// see AccessChecks.h.
using KernelFunction = int32_t (*)(const uint64_t *slots, const int32_t *grid, int64_t begin, int64_t end,
                                   void *scratch);

/// A compiled kernel, loaded into this process.
struct KernelEntry {
  KernelFunction function = nullptr;
  size_t scratchBytes = 0;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_KERNEL_H
