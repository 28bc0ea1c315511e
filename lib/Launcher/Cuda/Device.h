// CUDA devices, as the launcher selects them.

#ifndef TILEWRIGHT_LIB_LAUNCHER_CUDA_DEVICE_H
#define TILEWRIGHT_LIB_LAUNCHER_CUDA_DEVICE_H

#include "tilewright/Launcher/DeviceKind.h"

namespace tilewright::launcher {

class CudaDevices final : public DeviceKind {
public:
  CudaDevices();

  /// In addition, `version` is that of the driver (12080 for CUDA 12.8), `newest_ptx` the newest PTX that it supports
  /// (87 for 8.7), and each device has its `memory_bytes` and `shared_bytes_per_block`.
  llvm::json::Object describe() const override;
  /// If PyTorch is imported and has a CUDA device.
  std::optional<int32_t> defaultOrdinal() const override;
  /// PyTorch's current device, or that of the thread's current context, or 0.
  int32_t currentOrdinal() const override;
  bool currentStream(int32_t ordinal, uintptr_t &stream) const override;
  bool reachesHostMemory(int32_t ordinal, uintptr_t address) const override;
  std::string problem() const override;
  std::optional<int32_t> ownerOf(uintptr_t address) const override;
  /// Unless PyTorch was built for AMD's GPUs, which it also calls "cuda".
  bool isCalled(llvm::StringRef framework) const override;
};

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LIB_LAUNCHER_CUDA_DEVICE_H
