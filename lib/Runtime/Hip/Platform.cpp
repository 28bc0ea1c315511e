#include "tilewright/Runtime/Hip/Platform.h"

#include "tilewright/Runtime/Hip/Status.h"
#include "tilewright/Runtime/PlatformInstance.h"

#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace tilewright::runtime::hip {

//===----------------------------------------------------------------------===//
// Finding the runtime and its devices
//===----------------------------------------------------------------------===//

static PlatformInstance<Platform> &processInstance() {
  static PlatformInstance<Platform> instance;
  return instance;
}

Platform &Platform::instance() { return processInstance().get(); }
void Platform::replaceInstance(const std::string &library) { processInstance().replace(library); }

static std::string defaultLibrary() {
  const char *chosen = std::getenv("TILEWRIGHT_LIBHIP");
  return chosen ? chosen : "";
}

Platform::Platform(const std::string &library) : processId(getpid()) {
  whyNot = functions.open(library.empty() ? defaultLibrary() : library);
  if (!whyNot.empty()) {
    return;
  }
  whyNot = start();
  if (!whyNot.empty()) {
    functions.getLastError();
    all.clear();
  }
}

std::string Platform::start() {
  functions.runtimeGetVersion(&version);
  if (Status status = functions.init(0); status != Status::Success) {
    return "hipInit: " + describe(status);
  }
  int count = 0;
  if (Status status = functions.getDeviceCount(&count); status != Status::Success) {
    return "hipGetDeviceCount: " + describe(status);
  }
  if (count == 0) {
    return describe(Status::NoDevice);
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    if (std::string problem = addDevice(ordinal); !problem.empty()) {
      return "hip:" + std::to_string(ordinal) + ": " + problem;
    }
  }
  return "";
}

std::string Platform::addDevice(int ordinal) {
  Device &device = all.emplace_back(*this, ordinal);
  if (std::string problem = readArchitecture(device); !problem.empty()) {
    return problem;
  }
  if (std::string problem = readLimits(device); !problem.empty()) {
    return problem;
  }
  readProperties(device);
  return "";
}

std::string Platform::readArchitecture(Device &device) const {
  // A later runtime that has more properties must not write beyond them.
  struct {
    DeviceProp properties = {};
    char more[4096] = {};
  } room;
  Status status = functions.getDeviceProperties(&room.properties, device.ordinal);
  if (status != Status::Success) {
    return "hipGetDeviceProperties: " + describe(status);
  }
  room.properties.architecture[sizeof(room.properties.architecture) - 1] = 0;
  std::string name = room.properties.architecture;
  size_t colon = name.find(':');
  device.architecture = name.substr(0, colon);
  device.features = colon == std::string::npos ? "" : name.substr(colon + 1);
  return "";
}

std::string Platform::readLimits(Device &device) const {
  const std::pair<DeviceAttribute, int *> attributes[] = {
      {DeviceAttribute::MaxThreadsPerBlock, &device.limits.threads},
      {DeviceAttribute::MaxRegistersPerBlock, &device.limits.registers},
      {DeviceAttribute::MaxSharedPerBlock, &device.limits.sharedBytes},
      {DeviceAttribute::MaxGridX, device.limits.grid.data()},
      {DeviceAttribute::MaxGridY, device.limits.grid.data() + 1},
      {DeviceAttribute::MaxGridZ, device.limits.grid.data() + 2},
      {DeviceAttribute::WarpSize, &device.properties.warpSize}};
  for (auto [attribute, value] : attributes) {
    if (Status status = functions.deviceGetAttribute(value, attribute, device.ordinal); status != Status::Success) {
      return "hipDeviceGetAttribute: " + describe(status);
    }
  }
  return "";
}

/// What is only for display and for programs, so that errors are ignored.
void Platform::readProperties(Device &device) const {
  const std::pair<DeviceAttribute, int *> attributes[] = {
      {DeviceAttribute::Multiprocessors, &device.properties.multiprocessors},
      {DeviceAttribute::ClockKilohertz, &device.properties.clockKilohertz},
      {DeviceAttribute::MemoryClockKilohertz, &device.properties.memoryClockKilohertz},
      {DeviceAttribute::MemoryBusBits, &device.properties.memoryBusBits}};
  for (auto [attribute, value] : attributes) {
    if (functions.deviceGetAttribute(value, attribute, device.ordinal) != Status::Success) {
      functions.getLastError();
      *value = 0;
    }
  }
  char name[256] = "";
  if (functions.deviceGetName(name, sizeof(name), device.ordinal) != Status::Success) {
    functions.getLastError();
  }
  name[sizeof(name) - 1] = 0;
  device.name = name;
  if (functions.deviceTotalMem(&device.memoryBytes, device.ordinal) != Status::Success) {
    functions.getLastError();
    device.memoryBytes = 0;
  }
}

Device *Platform::device(int ordinal) {
  return ordinal >= 0 && ordinal < static_cast<int>(all.size()) ? &all[ordinal] : nullptr;
}

int Platform::currentOrdinal() const {
  int ordinal = 0;
  if (all.empty()) {
    return 0; // the library's functions may be null
  }
  if (functions.getDevice(&ordinal) != Status::Success) {
    functions.getLastError();
    return 0;
  }
  return ordinal;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool Platform::readPointer(void *value, PointerAttribute attribute, uint64_t address) const {
  if (all.empty()) {
    return false;
  }
  bool isKnown = functions.pointerGetAttribute(value, attribute, address) == Status::Success;
  if (!isKnown) {
    functions.getLastError();
  }
  return isKnown;
}

std::optional<int> Platform::ownerOf(uint64_t address) const {
  int ordinal = 0;
  bool isKnown = readPointer(&ordinal, PointerAttribute::DeviceOrdinal, address);
  return isKnown && ordinal >= 0 ? std::optional<int>(ordinal) : std::nullopt;
}

bool Platform::reachesHostMemory(Device &device, uint64_t address) const {
  DeviceScope scope(device);
  DevicePointer pointer = 0;
  return scope.status == Status::Success && readPointer(&pointer, PointerAttribute::DevicePointer, address) &&
         pointer == address;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string Platform::describe(Status status) const {
  const char *name = functions.getErrorName(status), *text = functions.getErrorString(status);
  std::string result = name ? name : "error " + std::to_string(static_cast<int>(status)) + " of the HIP runtime";
  if (text) {
    result += " (" + std::string(text) + ")";
  }
  if (getpid() != processId) {
    return result + ": HIP was in use before this process was forked, and can't be used in it; start processes by "
                    "'spawn' (torch.multiprocessing.set_start_method)";
  }
  const char *advice = adviceOn(status);
  return advice ? result + ": " + advice : result;
}

std::string Device::explain(const char *call, Status status) {
  platform.library().getLastError();
  if (!isFatal(status)) {
    return label() + ": " + call + ": " + platform.describe(status);
  }
  return lose(platform.describe(status),
              "with AMD_SERIALIZE_KERNEL=3 the launch of the kernel that causes the error reports it");
}

bool Device::fail(const char *call, Status status, KernelProblem &problem) {
  problem.message = explain(call, status);
  problem.isAssertion = status == Status::Assert;
  return false;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

DeviceScope::DeviceScope(Device &device) : library(device.platform.library()) {
  status = library.getDevice(&previous);
  if (status == Status::Success && previous != device.ordinal) {
    status = library.setDevice(device.ordinal);
    isChanged = status == Status::Success;
  }
}

DeviceScope::~DeviceScope() {
  if (isChanged) {
    library.setDevice(previous);
  }
}

RelaxedCapture::RelaxedCapture(const Library &library) : library(library) {
  library.threadExchangeStreamCaptureMode(&mode);
}

RelaxedCapture::~RelaxedCapture() { library.threadExchangeStreamCaptureMode(&mode); }

} // namespace tilewright::runtime::hip
