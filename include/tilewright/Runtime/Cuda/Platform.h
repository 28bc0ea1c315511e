// The process's driver and its devices.
//
// A device's primary context, which PyTorch also uses, is retained when it is first needed, and never released. Calls
// that need it push it on the thread's context stack and pop it afterwards, so that the current context does not
// change, and neither does PyTorch's current device.

#ifndef TILEWRIGHT_RUNTIME_CUDA_PLATFORM_H
#define TILEWRIGHT_RUNTIME_CUDA_PLATFORM_H

#include "tilewright/Runtime/Cuda/Driver.h"
#include "tilewright/Runtime/Cuda/Limits.h"
#include "tilewright/Runtime/GpuDevice.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <string>

namespace tilewright::runtime::cuda {

class Platform;

class Device final : public GpuDevice {
public:
  Device(Platform &platform, int ordinal) : GpuDevice("cuda", ordinal, /*survivesReports=*/false), platform(platform) {}

  Platform &platform;
  int major = 0, minor = 0;

  /// The primary context, retained by the first successful call.
  Status context(Context &result);

  /// The error message for a failed call. If a kernel caused the failure, this marks the device as lost.
  std::string explain(const char *call, Status status);

private:
  friend class Platform;
  bool allocatePage(MailboxPage &page, KernelProblem &problem) override;

  DeviceHandle handle = 0;
  std::atomic<Context> primary{nullptr};
};

class Platform {
public:
  /// The first part of the names of its devices, and the name in messages.
  static constexpr const char *kKind = "cuda", *kTitle = "CUDA";

  /// The process's platform. The first call opens the library TILEWRIGHT_LIBCUDA, or libcuda.so.1 by default.
  static Platform &instance();
  /// For tests: replaces the instance by one of another library; an empty name stands for the default one.
  static void replaceInstance(const std::string &library);

  /// An empty name stands for the default library.
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
