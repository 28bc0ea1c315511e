// Selects the device of a launch, and its stream. If there are arrays, it is the device where they are: all of them
// must be accessible there. Without arrays, the option `target` selects it, then TILEWRIGHT_TARGET, and then whether
// there is a device of a kind that runs launches by default.

#include "tilewright/Launcher/Launcher.h"

#include <cstdlib>

namespace tilewright::launcher {

using namespace runtime;

static std::string quoted(const Parameter &parameter) {
  const char *name = PyUnicode_AsUTF8(parameter.name.get());
  return "'" + std::string(name ? name : "?") + "'";
}

static bool isSameDevice(const Location &a, const Location &b) { return a.type == b.type && a.ordinal == b.ordinal; }

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

static bool placeOnDevice(Call &call, const Parameter &parameter, const ArrayArgument &array) {
  Placement &placement = call.placement;
  if (!placement.deviceArray) {
    placement.deviceArray = &parameter;
    placement.device = array.location;
  } else if (!isSameDevice(placement.device, array.location)) {
    setError("DeviceError", call.state, &parameter,
             "is on " + nameOf(array.location) + ", and argument " + quoted(*placement.deviceArray) + " on " +
                 nameOf(placement.device) + "; all must be on one device");
    return false;
  }
  if (!placement.currentStream) {
    placement.currentStream = array.currentStream;
  }
  if (!placement.stream) {
    placement.stream = array.stream;
  }
  return true;
}

bool recordDevice(Call &call, const Parameter &parameter, const ArrayArgument &array) {
  if (array.location.type == kHost) {
    call.placement.hostArrays.push_back({&parameter, array.address, array.extent});
    return true;
  }
  if (array.location.type == kNowhere) {
    return true;
  }
  if (array.location.isManaged) {
    call.placement.managed = call.placement.managed.value_or(array.location);
    return true;
  }
  return placeOnDevice(call, parameter, array);
}

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

/// The value of the option `target`; empty if there is none. A target is a string, or a tuple that begins with its
/// kind.
static llvm::StringRef requestedTarget(const Call &call) {
  for (auto [name, value] : call.options) {
    if (PyUnicode_CompareWithASCIIString(name, "target") == 0) {
      PyObject *kind = PyTuple_Check(value) && PyTuple_GET_SIZE(value) > 0 ? PyTuple_GET_ITEM(value, 0) : value;
      const char *text = PyUnicode_Check(kind) ? PyUnicode_AsUTF8(kind) : nullptr;
      PyErr_Clear();
      return text ? text : "";
    }
  }
  return "";
}

static Location currentDevice(const DeviceKind *kind) {
  return kind && kind->type != kHost ? Location{kind->type, kind->currentOrdinal()} : Location();
}

/// The device of a launch without arrays and without the option. It is the host if TILEWRIGHT_TARGET is no target,
/// which is reported when the kernel is compiled.
static Location defaultDevice() {
  if (const char *target = std::getenv("TILEWRIGHT_TARGET"); target && *target) {
    return currentDevice(deviceKindOfTarget(target));
  }
  for (const DeviceKind *kind : deviceKinds()) {
    if (std::optional<int32_t> ordinal = kind->defaultOrdinal()) {
      return {kind->type, *ordinal};
    }
  }
  return {};
}

/// The device for the arrays and the requested kind of device (null: none).
static Location chooseDevice(const Placement &placement, const DeviceKind *requested) {
  if (placement.deviceArray) {
    return placement.device;
  }
  bool isFree = !requested && placement.hostArrays.empty();
  if (placement.managed && (requested ? requested->type == placement.managed->type : isFree)) {
    return {placement.managed->type, placement.managed->ordinal};
  }
  return isFree ? defaultDevice() : currentDevice(requested);
}

static bool checkHostArrays(Call &call) {
  const Placement &placement = call.placement;
  const DeviceKind &kind = deviceKindOf(placement.launch);
  const auto *unreachable = llvm::find_if(placement.hostArrays, [&](const Placement::HostArray &array) {
    return !kind.reachesHostMemory(placement.launch.ordinal, array.address);
  });
  if (unreachable == placement.hostArrays.end()) {
    return true;
  }
  std::string where = nameOf(placement.launch);
  std::string other = placement.deviceArray ? ", and argument " + quoted(*placement.deviceArray) + " on " + where
                                            : ", which a kernel on " + where + " can't reach";
  setError("DeviceError", call.state, unreachable->parameter,
           "is in host memory" + other + "; pass a copy on the device (x.to('" + kind.frameworkName + ":" +
               std::to_string(placement.launch.ordinal) + "'))");
  return false;
}

bool resolveDevice(Call &call) {
  Placement &placement = call.placement;
  llvm::StringRef target = requestedTarget(call);
  const DeviceKind *requested = deviceKindOfTarget(target);
  if (placement.deviceArray && requested && requested->type != placement.device.type) {
    setError("DeviceError", call.state, placement.deviceArray,
             "is on " + nameOf(placement.device) + ", which a kernel on '" + target.trim().split(':').first.lower() +
                 "' can't reach; pass a copy in host memory (x.cpu())");
    return false;
  }
  placement.launch = chooseDevice(placement, requested);
  if (placement.launch.type == kHost) {
    return true;
  }
  call.key.byte(static_cast<uint8_t>(Tag::Device));
  call.key.byte(static_cast<uint8_t>(placement.launch.type));
  call.key.word(placement.launch.ordinal);
  return placement.hostArrays.empty() || checkHostArrays(call);
}

bool findStream(const Placement &placement, uintptr_t &stream) {
  if (placement.currentStream) {
    void *current = nullptr;
    if (placement.currentStream(placement.launch.type, placement.launch.ordinal, &current) != 0) {
      if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_RuntimeError, "the arguments' framework does not report its current stream");
      }
      return false;
    }
    stream = reinterpret_cast<uintptr_t>(current);
    return true;
  }
  if (placement.stream) {
    stream = *placement.stream;
    return true;
  }
  return deviceKindOf(placement.launch).currentStream(placement.launch.ordinal, stream);
}

PyObject *describeDevice(const Call &call) { return PyUnicode_FromString(nameOf(call.placement.launch).c_str()); }

} // namespace tilewright::launcher
