// CUDA devices, as the launcher selects them.

#include "Device.h"

#include "../GpuDevice.h"

#include "tilewright/Launcher/Launcher.h"

#include "third_party/dlpack/DLPack.h"
#include "tilewright/Runtime/Cuda/Platform.h"

namespace tilewright::launcher {

namespace cuda = runtime::cuda;

CudaDevices::CudaDevices() : DeviceKind(dlpack::CUDA, "cuda", cuda::Platform::kTitle) {
  pinnedType = dlpack::CUDAHost;
  managedType = dlpack::CUDAManaged;
  arrayAttribute = "__cuda_array_interface__";
}

const DeviceKind &cudaDevices() {
  static const CudaDevices devices;
  return devices;
}

llvm::json::Object CudaDevices::describe() const {
  cuda::Platform &platform = cuda::Platform::instance();
  llvm::json::Array devices;
  for (const cuda::Device &device : platform.devices()) {
    std::string major = std::to_string(device.major), minor = std::to_string(device.minor);
    devices.push_back(describeGpu(device, major + minor, "the compute capability " + major + "." + minor));
  }
  return llvm::json::Object{{"problem", platform.problem()},
                            {"version", platform.driverVersion()},
                            {"newest_ptx", cuda::newestPtx(platform.driverVersion())},
                            {"devices", std::move(devices)}};
}

/// PyTorch's current device, if that is a CUDA device.
static std::optional<int32_t> cudaTorchDevice() { return torchIsForHip() ? std::nullopt : torchDevice(); }

std::optional<int32_t> CudaDevices::defaultOrdinal() const {
  std::optional<int32_t> device = cudaTorchDevice();
  return device && problem().empty() ? device : std::nullopt;
}

int32_t CudaDevices::currentOrdinal() const {
  std::optional<int32_t> device = cudaTorchDevice();
  return device ? *device : cuda::Platform::instance().currentOrdinal();
}

bool CudaDevices::currentStream(int32_t ordinal, uintptr_t &stream) const {
  stream = 0;
  return torchIsForHip() || torchStream(ordinal, stream);
}

std::string CudaDevices::problem() const { return cuda::Platform::instance().problem(); }

bool CudaDevices::isCalled(llvm::StringRef framework) const { return framework == name && !torchIsForHip(); }

std::optional<int32_t> CudaDevices::ownerOf(uintptr_t address) const {
  int ordinal = 0;
  cuda::Status status = cuda::Platform::instance().driver().pointerGetAttribute(
      &ordinal, cuda::PointerAttribute::DeviceOrdinal, static_cast<cuda::DevicePointer>(address));
  return status == cuda::Status::Success ? std::optional<int32_t>(ordinal) : std::nullopt;
}

bool CudaDevices::reachesHostMemory(int32_t ordinal, uintptr_t address) const {
  // If the device does not exist, loading the kernel reports that.
  cuda::Device *device = cuda::Platform::instance().device(ordinal);
  if (!device) {
    return true;
  }
  cuda::ContextScope scope(*device);
  cuda::DevicePointer pointer = 0;
  cuda::Status status = device->platform.driver().pointerGetAttribute(&pointer, cuda::PointerAttribute::DevicePointer,
                                                                      static_cast<cuda::DevicePointer>(address));
  return status == cuda::Status::Success && pointer == address;
}

} // namespace tilewright::launcher
