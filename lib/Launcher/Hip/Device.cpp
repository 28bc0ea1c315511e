// AMD GPUs, as the launcher selects them. PyTorch calls them "cuda" if it was built for ROCm, and its functions have
// the same names as for CUDA.

#include "../GpuDevice.h"

#include "tilewright/Launcher/Launcher.h"

#include "third_party/dlpack/DLPack.h"
#include "tilewright/Runtime/Hip/Platform.h"

namespace tilewright::launcher {

namespace hip = runtime::hip;

namespace {

class HipDevices final : public DeviceKind {
public:
  HipDevices() : DeviceKind(dlpack::ROCm, hip::Platform::kKind, hip::Platform::kTitle) {
    pinnedType = dlpack::ROCmHost;
    arrayAttribute = "__cuda_array_interface__";
    frameworkName = "cuda";
  }

  /// In addition, `library` is the file of the runtime, `version` its version ("6.4.43482"), and each device has its
  /// `features` and what describeGpu() adds.
  llvm::json::Object describe() const override;
  /// If PyTorch is imported and has an AMD GPU.
  std::optional<int32_t> defaultOrdinal() const override;
  /// PyTorch's current device, or the thread's.
  int32_t currentOrdinal() const override;
  bool currentStream(int32_t ordinal, uintptr_t &stream) const override;
  bool reachesHostMemory(int32_t ordinal, uintptr_t address) const override;
  std::string problem() const override { return hip::Platform::instance().problem(); }
  std::optional<int32_t> ownerOf(uintptr_t address) const override {
    return hip::Platform::instance().ownerOf(address);
  }
  bool isCalled(llvm::StringRef framework) const override;
};

} // namespace

llvm::json::Object HipDevices::describe() const {
  hip::Platform &platform = hip::Platform::instance();
  llvm::json::Array devices;
  for (const hip::Device &device : platform.devices()) {
    llvm::json::Object described = describeGpu(device, device.architecture, "the architecture " + device.architecture);
    described["features"] = llvm::json::fixUTF8(device.features);
    devices.push_back(std::move(described));
  }
  int version = platform.runtimeVersion();
  return llvm::json::Object{{"problem", llvm::json::fixUTF8(platform.problem())},
                            {"library", llvm::json::fixUTF8(platform.library().file)},
                            {"version", version ? hip::versionText(version) : ""},
                            {"devices", std::move(devices)}};
}

std::optional<int32_t> HipDevices::defaultOrdinal() const {
  std::optional<int32_t> device = torchIsForHip() ? torchDevice() : std::nullopt;
  return device && problem().empty() ? device : std::nullopt;
}

int32_t HipDevices::currentOrdinal() const {
  std::optional<int32_t> device = torchIsForHip() ? torchDevice() : std::nullopt;
  return device ? *device : hip::Platform::instance().currentOrdinal();
}

bool HipDevices::currentStream(int32_t ordinal, uintptr_t &stream) const {
  stream = 0;
  return !torchIsForHip() || torchStream(ordinal, stream);
}

bool HipDevices::reachesHostMemory(int32_t ordinal, uintptr_t address) const {
  hip::Platform &platform = hip::Platform::instance();
  // If the device does not exist, loading the kernel reports that.
  hip::Device *device = platform.device(ordinal);
  return !device || platform.reachesHostMemory(*device, address);
}

bool HipDevices::isCalled(llvm::StringRef framework) const {
  return framework == name || (framework == frameworkName && torchIsForHip());
}

const DeviceKind &hipDevices() {
  static const HipDevices devices;
  return devices;
}

} // namespace tilewright::launcher
