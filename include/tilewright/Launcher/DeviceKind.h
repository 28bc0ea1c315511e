// A kind of device on which kernels run: the host, CUDA. The launcher selects the device of a launch by the locations
// of its arrays. Everything that it has to know about a kind of device is in an object of this class, which its folder
// defines (lib/Launcher/Cuda) and lib/Launcher/DeviceKinds.cpp registers.

#ifndef TILEWRIGHT_LAUNCHER_DEVICEKIND_H
#define TILEWRIGHT_LAUNCHER_DEVICEKIND_H

#include <Python.h>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::launcher {

struct ArrayArgument;
struct Call;
struct Parameter;

/// DLPack's numbers for types of devices and of memory.
using DeviceType = int32_t;
constexpr DeviceType kNowhere = 0; ///< no device
constexpr DeviceType kHost = 1;

/// A device, or memory on a device.
struct Location {
  DeviceType type = kHost;
  int32_t ordinal = 0;
  /// Whether the memory is accessible on the host, too.
  bool isManaged = false;
};

/// The base class describes the host; the functions are called for other devices only.
class DeviceKind {
public:
  DeviceKind(DeviceType type, const char *name, const char *title)
      : type(type), name(name), title(title), frameworkName(name) {}
  virtual ~DeviceKind() = default;

  const DeviceType type;
  /// The first part of the names of devices: "cuda" in "cuda:1".
  const char *const name;
  /// The name in messages: "CUDA".
  const char *const title;
  /// What PyTorch calls such devices.
  const char *frameworkName;
  /// The types of host memory that is pinned for devices of this kind, and of memory that is accessible on both sides.
  DeviceType pinnedType = kNowhere;
  DeviceType managedType = kNowhere;
  /// The attribute of arrays that readDeviceArray() reads, such as "__cuda_array_interface__"; null if there is none.
  /// Several kinds may have the same one.
  const char *arrayAttribute = nullptr;

  /// The ordinal of the current device of this kind, if a launch that has neither arrays nor a target runs on it.
  virtual std::optional<int32_t> defaultOrdinal() const { return std::nullopt; }
  /// What there is on this machine, for Python: `problem` (why there is no device, or empty) and `devices`, with for
  /// each its `name` (such as "NVIDIA H200"), its `architecture` (as a target names it, such as "90") and `capability`,
  /// which describes the architecture to the user ("the compute capability 9.0"); and whatever else a kind reports.
  virtual llvm::json::Object describe() const;
  /// The ordinal of the current device of the calling thread.
  virtual int32_t currentOrdinal() const { return 0; }
  /// The stream on which PyTorch would run a kernel. Returns false with a Python exception set on failure.
  virtual bool currentStream(int32_t ordinal, uintptr_t &stream) const;
  /// Whether a device can access host memory at the same address. True if there is no such device.
  virtual bool reachesHostMemory(int32_t ordinal, uintptr_t address) const;
  /// Why there is no device of this kind; empty if there is one.
  virtual std::string problem() const { return ""; }
  /// The ordinal of the device that owns an address; none if no device does.
  virtual std::optional<int32_t> ownerOf(uintptr_t address) const { return std::nullopt; }
  /// Whether PyTorch's tensors on devices of this name ("cuda") are on this kind of device.
  virtual bool isCalled(llvm::StringRef framework) const { return framework == name; }
};

/// The memory of a type that DLPack defines.
struct MemoryType {
  DeviceType device = kNowhere; ///< where kernels on this memory run; kNowhere if no kind of device has such memory
  bool isManaged = false;
};
/// By DLPack's number of the memory's type. Defined when the program starts, since each array of a launch is looked up.
constexpr size_t kMemoryTypes = 32; ///< more than DLPack has
extern const std::array<MemoryType, kMemoryTypes> memoryTypes;

/// All kinds of devices; the host is the first.
llvm::ArrayRef<const DeviceKind *> deviceKinds();
/// The kind of a location's device.
const DeviceKind &deviceKindOf(const Location &location);
/// The kind of device on which code for a target runs ("cuda:90a", "emulator:cuda:90a"). Null if the name begins with
/// no known kind of target.
const DeviceKind *deviceKindOfTarget(llvm::StringRef target);

/// The name of a device: "cpu", "cuda:0".
std::string nameOf(const Location &location);

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LAUNCHER_DEVICEKIND_H
