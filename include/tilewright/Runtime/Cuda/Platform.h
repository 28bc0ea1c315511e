// The process's driver and its devices.
//
// A device's primary context, which PyTorch also uses, is retained when it is first needed, and never released. Calls
// that need it push it on the thread's context stack and pop it afterwards, so that the current context does not
// change, and neither does PyTorch's current device.
//
// Errors of a kernel are reported late: a later call for its device returns the status, and so does every call after
// that. Therefore a device records which kernels were launched last, and whether it is lost.

#ifndef TILEWRIGHT_RUNTIME_CUDA_PLATFORM_H
#define TILEWRIGHT_RUNTIME_CUDA_PLATFORM_H

#include "tilewright/Runtime/Cuda/Driver.h"
#include "tilewright/Runtime/Cuda/Limits.h"

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::runtime::cuda {

class Platform;

/// Properties of a device that only programs read; 0 if the driver does not report them.
struct DeviceProperties {
  int multiprocessors = 0;
  int warpSize = 0;
  int clockKilohertz = 0;
  int memoryClockKilohertz = 0;
  int memoryBusBits = 0;
};

/// Memory of the host that is reserved for further mailboxes (Mailbox.h). It is never freed.
struct MailboxMemory {
  uint64_t *words = nullptr;
  DevicePointer onDevice = 0;
  size_t count = 0; ///< of words
};

class Device {
public:
  Device(Platform &platform, int ordinal) : platform(platform), ordinal(ordinal) {}

  Platform &platform;
  const int ordinal;
  std::string name; ///< "NVIDIA H200"
  int major = 0, minor = 0;
  size_t memoryBytes = 0;
  DeviceLimits limits;
  DeviceProperties properties;

  /// "cuda:0"
  std::string label() const { return "cuda:" + std::to_string(ordinal); }

  /// The primary context, retained by the first successful call.
  Status context(Context &result);

  /// Records a launch. `kernel` is a label that must never be freed.
  void noteLaunch(const char *kernel);
  /// The kernels that were launched last, each one once, the newest first.
  std::vector<std::string> lastLaunches() const;

  /// The error message for a failed call. If a kernel caused the failure, this marks the device as lost.
  std::string explain(const char *call, Status status);
  /// Why the device is lost; empty if it is not.
  std::string lostBecause() const;
  bool isLost() const { return loss.load(std::memory_order_relaxed) != Status::Success; }

private:
  friend class Platform;
  DeviceHandle handle = 0;
  std::mutex mutex;
  std::atomic<Context> primary{nullptr};
  std::atomic<Status> loss{Status::Success};
  friend struct Mailbox;
  MailboxMemory mailboxes; // guarded by the mutex
  static constexpr unsigned kKeptLaunches = 8;
  std::array<std::atomic<const char *>, kKeptLaunches> launches{};
  std::atomic<unsigned> launchCount{0};
};

class Platform {
public:
  /// The process's platform. The first call opens the library TILEWRIGHT_LIBCUDA, or libcuda.so.1 by default.
  static Platform &instance();
  /// For tests: replaces the instance by one of another library; an empty name stands for the default one.
  static void replaceInstance(const std::string &library);

  explicit Platform(const std::string &library);
  Platform(const Platform &) = delete;
  Platform &operator=(const Platform &) = delete;

  /// Why no device can be used; empty if there is one.
  const std::string &problem() const { return whyNot; }
  /// 12080 for CUDA 12.8; 0 without a driver.
  int driverVersion() const { return version; }
  const Driver &driver() const { return functions; }

  std::deque<Device> &devices() { return all; }
  /// Null if there is no such device.
  Device *device(int ordinal);
  /// The ordinal of the device whose context is current on this thread; 0 if there is none.
  int currentOrdinal() const;

  /// "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected): ...", with advice if there is some.
  std::string describe(Status status) const;

private:
  std::string start();
  std::string addDevice(int ordinal);
  void readProperties(Device &device) const;

  Driver functions;
  std::string whyNot;
  int version = 0;
  int processId = 0;
  std::deque<Device> all;
};

/// Makes a device's primary context current on this thread while it exists.
class ContextScope {
public:
  explicit ContextScope(Device &device);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

  /// Whether the context could be made current.
  Status status = Status::Success;

private:
  const Driver &driver;
  bool pushed = false;
};

/// While it exists, this thread may make calls that are forbidden during a stream capture. They must not affect a
/// stream.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver);
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const Driver &driver;
  CaptureMode mode = CaptureMode::Relaxed; // the previous mode after the exchange
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_PLATFORM_H
