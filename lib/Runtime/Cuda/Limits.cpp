#include "tilewright/Runtime/Cuda/Limits.h"

#include "tilewright/Hardware/Nvidia.h"

namespace tilewright::runtime::cuda {

using hardware::kLanesPerWarp;
using hardware::kRegisterGranularity;

std::optional<Excess> excessOfBlock(const DeviceLimits &limits, const KernelResources &kernel, int threads,
                                    int64_t dynamicSharedBytes) {
  int64_t shared = kernel.staticSharedBytes + dynamicSharedBytes;
  if (shared > limits.sharedBytes) {
    return Excess{"shared memory", "bytes of shared memory per program", shared, limits.sharedBytes,
                  "smaller blocks or fewer num_stages take less"};
  }
  if (threads > limits.threads) {
    return Excess{"threads", "threads per program", threads, limits.threads,
                  "num_warps is at most " + std::to_string(limits.threads / kLanesPerWarp)};
  }
  int64_t warps = (threads + kLanesPerWarp - 1) / kLanesPerWarp;
  int64_t granules = (kernel.registers + kRegisterGranularity - 1) / kRegisterGranularity;
  int64_t perThread = granules * kRegisterGranularity;
  int64_t registers = warps * kLanesPerWarp * perThread;
  if (registers > limits.registers) {
    return Excess{"registers", "registers per program", registers, limits.registers,
                  "smaller num_warps or maxnreg, or smaller blocks, take less"};
  }
  if (threads > kernel.maxThreads) {
    return Excess{"threads", "threads per program", threads, kernel.maxThreads,
                  "it was compiled for at most that many"};
  }
  return std::nullopt;
}

std::optional<Excess> excessOfGrid(const DeviceLimits &limits, const Grid &grid) {
  return runtime::excessOfGrid({limits.grid[0], limits.grid[1], limits.grid[2]}, grid);
}

} // namespace tilewright::runtime::cuda
