// What a device grants a block and a grid, and whether a kernel asks for more.

#ifndef TILEWRIGHT_RUNTIME_CUDALIMITS_H
#define TILEWRIGHT_RUNTIME_CUDALIMITS_H

#include "tilewright/Runtime/Grid.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::runtime::cuda {

/// Of a device, per block.
struct DeviceLimits {
  int threads = 0;
  int registers = 0;   ///< of 32 bits
  int sharedBytes = 0; ///< static and dynamic together, for kernels that ask for more than 48 KiB
  std::array<int, 3> grid = {0, 0, 0};
};

/// Of a kernel, as the driver sees its code.
struct KernelResources {
  int registers = 0;  ///< per thread
  int localBytes = 0; ///< per thread: spilt registers, and arrays that could not be kept in registers
  int staticSharedBytes = 0;
  int maxThreads = 0; ///< per block, by its registers and by what the code declares
};

/// Something of which there is not enough.
struct Excess {
  std::string resource; ///< "shared memory"
  std::string unit;     ///< "bytes of shared memory per program"
  int64_t required = 0;
  int64_t limit = 0;
  std::string advice;
};

/// "needs 300000 bytes of shared memory per program, and cuda:0 has 232448; smaller blocks take less"
std::string describe(const Excess &excess, const std::string &device);

/// What a block of so many threads and bytes of dynamic shared memory lacks on the device.
std::optional<Excess> excessOfBlock(const DeviceLimits &limits, const KernelResources &kernel, int threads,
                                    int64_t dynamicSharedBytes);

/// The first axis of the grid that the device does not reach.
std::optional<Excess> excessOfGrid(const DeviceLimits &limits, const Grid &grid);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDALIMITS_H
