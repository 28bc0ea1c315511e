// A kernel's code on a device, and launching it.

#ifndef TILEWRIGHT_RUNTIME_CUDAKERNEL_H
#define TILEWRIGHT_RUNTIME_CUDAKERNEL_H

#include "tilewright/Runtime/CudaPlatform.h"
#include "tilewright/Runtime/Grid.h"

#include <memory>
#include <optional>
#include <string>

namespace tilewright::runtime::cuda {

/// What the compiler hands to the runtime.
struct KernelCode {
  std::string image; ///< a cubin, or PTX for the driver to assemble
  std::string symbol;
  int threads = 0;                ///< per block, and so per program
  int64_t dynamicSharedBytes = 0; ///< that each block asks for when it is launched
};

/// Why a kernel can't be loaded: it asks for more than there is, or the message says it.
struct LoadProblem {
  std::string message;
  Status status = Status::Success; ///< what the driver said, if it was the driver
  std::optional<Excess> excess;
};

/// The code stays on the device as long as the process runs.
class Kernel {
public:
  /// Loads code to a device; also while a stream is being captured, on this thread or another.
  static std::unique_ptr<Kernel> load(Device &device, const KernelCode &code, LoadProblem &problem);

  /// Queues a grid that is not empty and within the device's limits. `parameters` points to one value per parameter
  /// of the kernel.
  Status launch(const Grid &grid, Stream stream, void **parameters) const;

  Device &device;
  KernelResources resources;

private:
  Kernel(Device &device, const KernelCode &code)
      : device(device), threads(code.threads), dynamicSharedBytes(code.dynamicSharedBytes) {}
  bool prepare(const KernelCode &code, LoadProblem &problem);
  bool readResources(LoadProblem &problem);
  bool failed(const char *call, Status status, LoadProblem &problem) const;

  const int threads;
  const int64_t dynamicSharedBytes;
  Module module = nullptr;
  Function function = nullptr;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDAKERNEL_H
