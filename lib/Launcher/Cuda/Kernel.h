// A kernel on a CUDA device. It is launched on the current stream of the arguments' framework.

#ifndef TILEWRIGHT_LIB_LAUNCHER_CUDA_KERNEL_H
#define TILEWRIGHT_LIB_LAUNCHER_CUDA_KERNEL_H

#include "Reports.h"
#include "tilewright/Launcher/LoadedKernel.h"

#include "tilewright/Runtime/Cuda/Kernel.h"
#include "tilewright/Runtime/Cuda/TensorMaps.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::launcher {

class CudaKernel final : public LoadedKernel {
public:
  /// `slots` are the slots of the code's parameters, in order; none if each argument has its parameter. Slots below
  /// zero are the hidden ones of code with bounds checks or assertions, or of persistent code. The launch's tensor maps
  /// follow. `reporting` must never be freed; it is null for code that reports nothing.
  CudaKernel(std::unique_ptr<runtime::cuda::Kernel> kernel, std::optional<std::vector<int>> slots,
             ReportingCode *reporting, bool isPersistent = false);

  /// Returns after the launch was queued.
  bool launch(Call &call, PyObject *compiled, const runtime::Grid &grid) override;

  const std::unique_ptr<runtime::cuda::Kernel> kernel;

private:
  class HiddenSlots;
  bool addArguments(Call &call, HiddenSlots &hidden, llvm::SmallVectorImpl<void *> &parameters) const;
  bool encodeTensorMaps(Call &call, std::vector<runtime::EncodedTensorMap> &encoded);

  const std::optional<std::vector<int>> slots;
  runtime::cuda::TensorMapEncoder encoder;
  ReportingCode *const reporting;
  const bool isPersistent; // the code takes the launch's grid
  size_t slotCount;        // the least number of slots of a launch
  /// The kernel's name in the device's error messages; never freed. Null before the first launch.
  const char *label = nullptr;
};

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LIB_LAUNCHER_CUDA_KERNEL_H
