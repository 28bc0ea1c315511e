// The test whether a block of a kernel exceeds the limits of a CUDA device.

#ifndef TILEWRIGHT_RUNTIME_CUDA_LIMITS_H
#define TILEWRIGHT_RUNTIME_CUDA_LIMITS_H

#include "tilewright/Runtime/GpuDevice.h"

#include <cstdint>
#include <optional>

namespace tilewright::runtime::cuda {

/// The first limit of the device that a block of the kernel exceeds. That for shared memory is the one of kernels that
/// opt in to more than 48 KiB.
std::optional<Excess> excessOfBlock(const DeviceLimits &limits, const KernelResources &kernel, int threads,
                                    int64_t dynamicSharedBytes);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_LIMITS_H
