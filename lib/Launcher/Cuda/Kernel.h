// A kernel on a CUDA device.

#ifndef TILEWRIGHT_LIB_LAUNCHER_CUDA_KERNEL_H
#define TILEWRIGHT_LIB_LAUNCHER_CUDA_KERNEL_H

#include "../GpuKernel.h"

#include "tilewright/Runtime/Cuda/Kernel.h"
#include "tilewright/Runtime/Cuda/TensorMaps.h"

#include <memory>
#include <optional>
#include <vector>

namespace tilewright::launcher {

class CudaKernel final : public GpuKernel {
public:
  CudaKernel(std::unique_ptr<runtime::cuda::Kernel> kernel, std::optional<std::vector<int>> slots,
             ReportingCode *reporting, bool isPersistent = false);

  const runtime::KernelResources &resources() const override { return kernel->resources; }
  uintptr_t moduleHandle() const override { return reinterpret_cast<uintptr_t>(kernel->moduleHandle()); }
  uintptr_t functionHandle() const override { return reinterpret_cast<uintptr_t>(kernel->functionHandle()); }

private:
  bool encodeTensorMaps(Call &call, std::vector<runtime::EncodedTensorMap> &encoded) override;
  bool queue(const runtime::Grid &grid, uintptr_t stream, void **parameters, runtime::KernelProblem &problem) override;

  const std::unique_ptr<runtime::cuda::Kernel> kernel;
  runtime::cuda::TensorMapEncoder encoder;
};

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LIB_LAUNCHER_CUDA_KERNEL_H
