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

  const std::unique_ptr<runtime::cuda::Kernel> kernel;

private:
  bool encodeTensorMaps(Call &call, std::vector<runtime::EncodedTensorMap> &encoded) override;
  bool queue(const runtime::Grid &grid, uintptr_t stream, void **parameters, runtime::KernelProblem &problem) override;

  runtime::cuda::TensorMapEncoder encoder;
};

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LIB_LAUNCHER_CUDA_KERNEL_H
