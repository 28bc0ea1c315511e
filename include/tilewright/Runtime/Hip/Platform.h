// The process's HIP runtime and its devices.
//
// Each thread has a current device, which PyTorch also uses. Calls for another device make that one current and restore
// the previous one afterwards. The runtime keeps a thread's last error until it is read, and PyTorch reads it after its
// own launches; so errors of calls that are made here are read, too.

#ifndef TILEWRIGHT_RUNTIME_HIP_PLATFORM_H
#define TILEWRIGHT_RUNTIME_HIP_PLATFORM_H

#include "tilewright/Runtime/GpuDevice.h"
#include "tilewright/Runtime/Hip/Library.h"
#include "tilewright/Runtime/PrintBuffer.h"

#include <deque>
#include <optional>
#include <string>

namespace tilewright::runtime::hip {

class Platform;

class Device final : public GpuDevice {
public:
  Device(Platform &platform, int ordinal) : GpuDevice("hip", ordinal, /*survivesReports=*/true), platform(platform) {}

  Platform &platform;
  std::string architecture; ///< "gfx942"
  std::string features;     ///< "sramecc+:xnack-"; empty for an architecture without choices

  /// The error message for a failed call. If a kernel caused the failure, this marks the device as lost.
  std::string explain(const char *call, Status status);
  /// The same as a problem. Returns false.
  bool fail(const char *call, Status status, KernelProblem &problem);

  /// Lets the code of a module print into the device's buffer.
  bool connectPrints(Module module, KernelProblem &problem);
  /// Removes and returns the lines that code has printed.
  std::string takeLines() { return prints.take(); }

private:
  bool allocatePage(MailboxPage &page, KernelProblem &problem) override;
  /// Allocates memory of the host that the device can access.
  bool allocateForHost(size_t bytes, void *&memory, uint64_t &onDevice, KernelProblem &problem);

  PrintBuffer prints;
  std::mutex printsMutex;
  uint64_t printsOnDevice = 0; ///< the buffer's address there; guarded by printsMutex
};

class Platform {
public:
  /// The first part of the names of its devices, and the name in messages.
  static constexpr const char *kKind = "hip", *kTitle = "HIP";

  /// The process's platform. The first call opens the library TILEWRIGHT_LIBHIP, or searches for one (Library.h).
  static Platform &instance();
  /// For tests: replaces the instance by one of another library; an empty name stands for the default one.
  static void replaceInstance(const std::string &library);

  /// An empty name stands for the default library.
  explicit Platform(const std::string &library);
  Platform(const Platform &) = delete;
  Platform &operator=(const Platform &) = delete;

  /// Why no device can be used; empty if there is one.
  const std::string &problem() const { return whyNot; }
  /// 60443482 for HIP 6.4.43482; 0 without a library.
  int runtimeVersion() const { return version; }
  const Library &library() const { return functions; }

  std::deque<Device> &devices() { return all; }
  /// Null if there is no such device.
  Device *device(int ordinal);
  /// The ordinal of this thread's current device.
  int currentOrdinal() const;

  /// The ordinal of the device that owns an address; none if no device does.
  std::optional<int> ownerOf(uint64_t address) const;
  /// Whether a device can access host memory at the same address.
  bool reachesHostMemory(Device &device, uint64_t address) const;

  /// "hipErrorNoDevice (no ROCm-capable device is detected): ...", with advice if there is some.
  std::string describe(Status status) const;

private:
  std::string start();
  std::string addDevice(int ordinal);
  std::string readArchitecture(Device &device) const;
  std::string readLimits(Device &device) const;
  void readProperties(Device &device) const;
  bool readPointer(void *value, PointerAttribute attribute, uint64_t address) const;

  Library functions;
  std::string whyNot;
  int version = 0;
  int processId = 0;
  std::deque<Device> all;
};

/// Makes a device current on this thread while it exists.
class DeviceScope {
public:
  explicit DeviceScope(Device &device);
  ~DeviceScope();
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;

  /// Whether the device could be made current.
  Status status = Status::Success;

private:
  const Library &library;
  int previous = 0;
  bool isChanged = false;
};

/// While it exists, this thread may make calls that are forbidden during a stream capture. They must not affect a
/// stream.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Library &library);
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const Library &library;
  CaptureMode mode = CaptureMode::Relaxed; // the previous mode after the exchange
};

} // namespace tilewright::runtime::hip

#endif // TILEWRIGHT_RUNTIME_HIP_PLATFORM_H
