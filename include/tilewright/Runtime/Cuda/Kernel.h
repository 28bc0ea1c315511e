// A kernel that is loaded on a device, and its launch.

#ifndef TILEWRIGHT_RUNTIME_CUDA_KERNEL_H
#define TILEWRIGHT_RUNTIME_CUDA_KERNEL_H

#include "tilewright/Runtime/Cuda/Platform.h"
#include "tilewright/Runtime/Grid.h"

#include <memory>
#include <string>

namespace tilewright::runtime::cuda {

/// The output of the compiler.
struct KernelCode {
  std::string image; ///< a cubin, or PTX for the driver to assemble
  std::string symbol;
  int threads = 0;                ///< per block, and thus per program
  int64_t dynamicSharedBytes = 0; ///< per block
  bool overlaps = false;          ///< a launch may start before the previous one in its stream has ended
  bool isCooperative = false;     ///< all programs of a launch run at the same time
  bool isPersistent = false;      ///< a launch starts `programsAtOnce` programs
};

/// The code stays on the device until the process ends.
class Kernel {
public:
  /// Loads code onto a device. This also works while a stream is being captured, on this thread or another one.
  static std::unique_ptr<Kernel> load(Device &device, const KernelCode &code, KernelProblem &problem);

  /// Queues a launch. The grid must not be empty, and must be within the device's limits. `parameters` points to one
  /// value per parameter of the kernel.
  Status launch(const Grid &grid, Stream stream, void **parameters) const;

  /// The driver's handles, for programs that launch the kernel themselves.
  Module moduleHandle() const { return module; }
  Function functionHandle() const { return function; }

  Device &device;
  KernelResources resources;
  int programsAtOnce = 1; ///< on all multiprocessors of the device; only known for persistent code

private:
  Kernel(Device &device, const KernelCode &code)
      : device(device), threads(code.threads), dynamicSharedBytes(code.dynamicSharedBytes), overlaps(code.overlaps),
        isCooperative(code.isCooperative) {}
  bool prepare(const KernelCode &code, KernelProblem &problem);
  bool readResources(KernelProblem &problem);
  bool readOccupancy(KernelProblem &problem);
  Status launchWithAttributes(const Grid &grid, Stream stream, void **parameters) const;
  bool failed(const char *call, Status status, KernelProblem &problem) const;

  const int threads;
  const int64_t dynamicSharedBytes;
  const bool overlaps, isCooperative;
  Module module = nullptr;
  Function function = nullptr;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_KERNEL_H
