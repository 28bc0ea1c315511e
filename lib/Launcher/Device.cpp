// Selects the device of a launch. If there are arrays, it is their location: the host or a CUDA device. All arrays must
// be accessible there. Without arrays, the option `target` selects it, then TILEWRIGHT_TARGET, and then whether PyTorch
// has a CUDA device.

#include "tilewright/Launcher/Launcher.h"

#include "tilewright/Runtime/Cuda/Platform.h"

#include <cstdlib>
#include <unordered_map>

namespace tilewright::launcher {

using namespace runtime;

static std::string nameOf(const Location &location) {
  return location.kind == Location::Host ? "cpu" : "cuda:" + std::to_string(location.device);
}

static std::string quoted(const Parameter &parameter) {
  const char *name = PyUnicode_AsUTF8(parameter.name.get());
  return "'" + std::string(name ? name : "?") + "'";
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

static bool placeOnDevice(Call &call, const Parameter &parameter, const ArrayArgument &array, int32_t device) {
  Placement &placement = call.placement;
  if (placement.cudaArray && placement.cudaDevice != device) {
    setError("DeviceError", call.state, &parameter,
             "is on cuda:" + std::to_string(device) + ", and argument " + quoted(*placement.cudaArray) +
                 " on cuda:" + std::to_string(placement.cudaDevice) + "; all must be on one device");
    return false;
  }
  placement.cudaArray = placement.cudaArray ? placement.cudaArray : &parameter;
  placement.cudaDevice = device;
  if (!placement.currentStream) {
    placement.currentStream = array.currentStream;
  }
  if (!placement.stream) {
    placement.stream = array.stream;
  }
  return true;
}

bool recordDevice(Call &call, const Parameter &parameter, const ArrayArgument &array) {
  if (!array.location) {
    return true;
  }
  switch (array.location->kind) {
  case Location::Host:
    call.placement.hostArrays.push_back({&parameter, array.address, array.extent});
    return true;
  case Location::Managed:
    call.placement.managedDevice = call.placement.managedDevice.value_or(array.location->device);
    return true;
  case Location::Cuda:
    return placeOnDevice(call, parameter, array, array.location->device);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

/// The kind of a target. Python parses the name once. Returns an empty string if the name is not a target; the error is
/// reported when the kernel is compiled.
static std::string kindOf(const char *target) {
  static auto &known = *new std::unordered_map<std::string, std::string>();
  auto found = known.find(target);
  if (found == known.end()) {
    Ref targets = Ref::take(PyImport_ImportModule("tilewright.compiler.targets"));
    Ref kind = Ref::take(targets ? PyObject_CallMethod(targets.get(), "kind_of", "s", target) : nullptr);
    const char *text = kind ? PyUnicode_AsUTF8(kind.get()) : nullptr;
    if (!text) {
      PyErr_Clear();
      return "";
    }
    found = known.emplace(target, text).first;
  }
  return found->second;
}

/// The kind of the target in the option `target`; empty if there is none. A target is a string, or a tuple that begins
/// with its kind.
static std::string kindAskedFor(const Call &call) {
  for (auto [name, value] : call.options) {
    if (PyUnicode_CompareWithASCIIString(name, "target") == 0) {
      PyObject *kind = PyTuple_Check(value) && PyTuple_GET_SIZE(value) > 0 ? PyTuple_GET_ITEM(value, 0) : value;
      const char *text = PyUnicode_Check(kind) ? PyUnicode_AsUTF8(kind) : nullptr;
      PyErr_Clear();
      return text ? kindOf(text) : "";
    }
  }
  return "";
}

/// Whether a launch without arrays and without the option runs on a CUDA device.
static bool cudaIsDefault() {
  if (const char *target = std::getenv("TILEWRIGHT_TARGET"); target && *target) {
    return kindOf(target) == "cuda";
  }
  return torchDevice() && cuda::Platform::instance().problem().empty();
}

int32_t currentCudaDevice() {
  std::optional<int32_t> device = torchDevice();
  return device ? *device : cuda::Platform::instance().currentOrdinal();
}

/// Whether a device can access host memory at the same address, because the memory is pinned.
static bool reaches(cuda::Device &device, uintptr_t address) {
  cuda::ContextScope scope(device);
  cuda::DevicePointer pointer = 0;
  cuda::Status status = device.platform.driver().pointerGetAttribute(&pointer, cuda::PointerAttribute::DevicePointer,
                                                                     static_cast<cuda::DevicePointer>(address));
  return status == cuda::Status::Success && pointer == address;
}

static bool checkHostArrays(Call &call) {
  const Placement &placement = call.placement;
  // If the device does not exist, loading the kernel reports that.
  cuda::Device *device = cuda::Platform::instance().device(placement.launch.device);
  for (const Placement::HostArray &array : placement.hostArrays) {
    if (!device || reaches(*device, array.address)) {
      continue;
    }
    std::string where = nameOf(placement.launch);
    std::string other = placement.cudaArray ? ", and argument " + quoted(*placement.cudaArray) + " on " + where
                                            : ", which a kernel on " + where + " can't reach";
    setError("DeviceError", call.state, array.parameter,
             "is in host memory" + other + "; pass a copy on the device (x.to('" + where + "'))");
    return false;
  }
  return true;
}

bool resolveDevice(Call &call) {
  Placement &placement = call.placement;
  std::string asked = kindAskedFor(call);
  if (placement.cudaArray && !asked.empty() && asked != "cuda") {
    setError("DeviceError", call.state, placement.cudaArray,
             "is on cuda:" + std::to_string(placement.cudaDevice) + ", which a kernel on '" + asked +
                 "' can't reach; pass a copy in host memory (x.cpu())");
    return false;
  }
  bool unplaced = asked.empty() && placement.hostArrays.empty();
  bool onDevice = placement.cudaArray || asked == "cuda" || (unplaced && (placement.managedDevice || cudaIsDefault()));
  if (!onDevice) {
    return true;
  }
  int32_t device = placement.cudaArray       ? placement.cudaDevice
                   : placement.managedDevice ? *placement.managedDevice
                                             : currentCudaDevice();
  placement.launch = {Location::Cuda, device};
  call.key.byte(static_cast<uint8_t>(Tag::CudaDevice));
  call.key.word(device);
  return placement.hostArrays.empty() || checkHostArrays(call);
}

PyObject *describeDevice(const Call &call) { return PyUnicode_FromString(nameOf(call.placement.launch).c_str()); }

} // namespace tilewright::launcher
