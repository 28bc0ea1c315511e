#include "tilewright/Runtime/Cuda/Platform.h"

#include "tilewright/Runtime/Cuda/Status.h"
#include "tilewright/Runtime/PlatformInstance.h"

#include <cstdlib>
#include <unistd.h>

namespace tilewright::runtime::cuda {

//===----------------------------------------------------------------------===//
// Finding driver and devices
//===----------------------------------------------------------------------===//

static std::string defaultLibrary() {
  const char *chosen = std::getenv("TILEWRIGHT_LIBCUDA");
  return chosen && *chosen ? chosen : "libcuda.so.1";
}

static PlatformInstance<Platform> &processInstance() {
  static PlatformInstance<Platform> instance;
  return instance;
}

Platform &Platform::instance() { return processInstance().get(); }
void Platform::replaceInstance(const std::string &library) { processInstance().replace(library); }

Platform::Platform(const std::string &library) : processId(getpid()) {
  whyNot = functions.open(library.empty() ? defaultLibrary() : library);
  if (whyNot.empty()) {
    whyNot = start();
  }
  if (!whyNot.empty()) {
    all.clear();
  }
}

std::string Platform::start() {
  functions.driverGetVersion(&version);
  if (Status status = functions.init(0); status != Status::Success) {
    return "cuInit: " + describe(status);
  }
  int count = 0;
  if (Status status = functions.deviceGetCount(&count); status != Status::Success) {
    return "cuDeviceGetCount: " + describe(status);
  }
  if (count == 0) {
    return describe(Status::NoDevice);
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    if (std::string problem = addDevice(ordinal); !problem.empty()) {
      return "cuda:" + std::to_string(ordinal) + ": " + problem;
    }
  }
  return "";
}

std::string Platform::addDevice(int ordinal) {
  Device &device = all.emplace_back(*this, ordinal);
  if (Status status = functions.deviceGet(&device.handle, ordinal); status != Status::Success) {
    return "cuDeviceGet: " + describe(status);
  }
  const std::pair<DeviceAttribute, int *> attributes[] = {
      {DeviceAttribute::ComputeCapabilityMajor, &device.major},
      {DeviceAttribute::ComputeCapabilityMinor, &device.minor},
      {DeviceAttribute::MaxThreadsPerBlock, &device.limits.threads},
      {DeviceAttribute::MaxRegistersPerBlock, &device.limits.registers},
      {DeviceAttribute::MaxSharedPerBlockOptIn, &device.limits.sharedBytes},
      {DeviceAttribute::MaxGridX, device.limits.grid.data()},
      {DeviceAttribute::MaxGridY, device.limits.grid.data() + 1},
      {DeviceAttribute::MaxGridZ, device.limits.grid.data() + 2}};
  for (auto [attribute, value] : attributes) {
    if (Status status = functions.deviceGetAttribute(value, attribute, device.handle); status != Status::Success) {
      return "cuDeviceGetAttribute: " + describe(status);
    }
  }
  readProperties(device);
  // Name and memory size are only for display, so that errors are ignored.
  char name[256] = "";
  functions.deviceGetName(name, sizeof(name), device.handle);
  device.name = name;
  functions.deviceTotalMem(&device.memoryBytes, device.handle);
  return "";
}

void Platform::readProperties(Device &device) const {
  const std::pair<DeviceAttribute, int *> attributes[] = {
      {DeviceAttribute::Multiprocessors, &device.properties.multiprocessors},
      {DeviceAttribute::WarpSize, &device.properties.warpSize},
      {DeviceAttribute::ClockKilohertz, &device.properties.clockKilohertz},
      {DeviceAttribute::MemoryClockKilohertz, &device.properties.memoryClockKilohertz},
      {DeviceAttribute::MemoryBusBits, &device.properties.memoryBusBits}};
  for (auto [attribute, value] : attributes) {
    if (functions.deviceGetAttribute(value, attribute, device.handle) != Status::Success) {
      *value = 0;
    }
  }
}

Device *Platform::device(int ordinal) {
  return ordinal >= 0 && ordinal < static_cast<int>(all.size()) ? &all[ordinal] : nullptr;
}

int Platform::currentOrdinal() const {
  Context context = nullptr;
  DeviceHandle current = 0;
  if (all.empty()) {
    return 0; // the driver's functions may be null
  }
  if (functions.ctxGetCurrent(&context) != Status::Success || !context ||
      functions.ctxGetDevice(&current) != Status::Success) {
    return 0;
  }
  for (const Device &device : all) {
    if (device.handle == current) {
      return device.ordinal;
    }
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Status descriptions
//===----------------------------------------------------------------------===//

std::string Platform::describe(Status status) const {
  const char *name = nullptr, *text = nullptr;
  bool named = functions.getErrorName(status, &name) == Status::Success && name;
  std::string result = named ? name : "error " + std::to_string(static_cast<int>(status)) + " of the CUDA driver";
  if (functions.getErrorString(status, &text) == Status::Success && text) {
    result += " (" + std::string(text) + ")";
  }
  if (status == Status::NotInitialized && getpid() != processId) {
    return result + ": CUDA was in use before this process was forked, and can't be used in it; start processes by "
                    "'spawn' (torch.multiprocessing.set_start_method)";
  }
  const char *advice = adviceOn(status);
  return advice ? result + ": " + advice : result;
}

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

Status Device::context(Context &result) {
  result = primary.load(std::memory_order_acquire);
  if (result) {
    return Status::Success;
  }
  std::lock_guard<std::mutex> lock(mutex);
  result = primary.load(std::memory_order_acquire);
  if (result) {
    return Status::Success;
  }
  Status status = platform.driver().devicePrimaryCtxRetain(&result, handle);
  if (status == Status::Success) {
    primary.store(result, std::memory_order_release);
  }
  return status;
}

std::string Device::explain(const char *call, Status status) {
  if (!isFatal(status)) {
    return label() + ": " + call + ": " + platform.describe(status);
  }
  return lose(platform.describe(status), "with CUDA_LAUNCH_BLOCKING=1 the launch of the kernel that causes the error "
                                         "reports it, and compute-sanitizer names the line");
}

//===----------------------------------------------------------------------===//
// ContextScope
//===----------------------------------------------------------------------===//

ContextScope::ContextScope(Device &device) : driver(device.platform.driver()) {
  Context wanted = nullptr, current = nullptr;
  status = device.context(wanted);
  if (status != Status::Success || (driver.ctxGetCurrent(&current) == Status::Success && current == wanted)) {
    return;
  }
  status = driver.ctxPushCurrent(wanted);
  pushed = status == Status::Success;
}

ContextScope::~ContextScope() {
  if (pushed) {
    Context popped = nullptr;
    driver.ctxPopCurrent(&popped);
  }
}

//===----------------------------------------------------------------------===//
// RelaxedCapture
//===----------------------------------------------------------------------===//

RelaxedCapture::RelaxedCapture(const Driver &driver) : driver(driver) { driver.threadExchangeStreamCaptureMode(&mode); }

RelaxedCapture::~RelaxedCapture() { driver.threadExchangeStreamCaptureMode(&mode); }

} // namespace tilewright::runtime::cuda
