#include "tilewright/Runtime/Cuda/Limits.h"

#include "tilewright/Hardware/Nvidia.h"

namespace tilewright::runtime::cuda {

using hardware::kLanesPerWarp;
using hardware::kRegisterGranularity;

std::optional<Excess> excessOfBlock(const DeviceLimits &limits, const KernelResources &kernel, int threads,
                                    int64_t dynamicSharedBytes) {
  int64_t shared = kernel.staticSharedBytes + dynamicSharedBytes;
  if (auto excess = excessOfMemoryOrThreads(limits, kLanesPerWarp, shared, threads)) {
    return excess;
  }
  int64_t warps = (threads + kLanesPerWarp - 1) / kLanesPerWarp;
  int64_t granules = (kernel.registers + kRegisterGranularity - 1) / kRegisterGranularity;
  int64_t perThread = granules * kRegisterGranularity;
  int64_t registers = warps * kLanesPerWarp * perThread;
  if (registers > limits.registers) {
    return Excess{"registers", "registers per program", registers, limits.registers,
                  "smaller num_warps or maxnreg, or smaller blocks, take less"};
  }
  return excessOfCompiledThreads(kernel, threads);
}

} // namespace tilewright::runtime::cuda
