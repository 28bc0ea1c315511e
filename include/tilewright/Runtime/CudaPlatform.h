// The driver of this process and its devices.
//
// A device's primary context, the one that PyTorch uses, is retained when it is
// first needed and then kept. Calls that need it current put it on top of the
// thread's stack of contexts and take it off again, so that what was current
// before, and with it PyTorch's current device, is current afterwards.
//
// A kernel that does a forbidden thing is noticed late: a later call to its
// device returns the status, and so does every one after that. A device
// therefore remembers which kernels were launched last, and that it is lost.

#ifndef TILEWRIGHT_RUNTIME_CUDAPLATFORM_H
#define TILEWRIGHT_RUNTIME_CUDAPLATFORM_H

#include "tilewright/Runtime/CudaDriver.h"
#include "tilewright/Runtime/CudaLimits.h"

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::runtime::cuda {

class Platform;

class Device {
public:
  Device(Platform &platform, int ordinal) : platform(platform), ordinal(ordinal) {}

  Platform &platform;
  const int ordinal;
  std::string name; ///< "NVIDIA H200"
  int major = 0, minor = 0;
  size_t memoryBytes = 0;
  DeviceLimits limits;

  /// "cuda:0"
  std::string label() const { return "cuda:" + std::to_string(ordinal); }

  /// The primary context, retained by the first successful call.
  Status context(Context &result);

  /// Remembers that a kernel was launched; the label is never freed.
  void noteLaunch(const char *kernel);
  /// The kernels that were launched last, each once, the newest first.
  std::vector<std::string> lastLaunches() const;

  /// What to tell of a call's failure. Where a kernel was the cause, the device is lost from now on.
  std::string explain(const char *call, Status status);
  /// Why nothing can run on the device any more; empty where it can.
  std::string lostBecause() const;
  bool isLost() const { return loss.load(std::memory_order_relaxed) != Status::Success; }

private:
  friend class Platform;
  DeviceHandle handle = 0;
  std::mutex mutex;
  std::atomic<Context> primary{nullptr};
  std::atomic<Status> loss{Status::Success};
  static constexpr unsigned kRemembered = 8;
  std::array<std::atomic<const char *>, kRemembered> launches{};
  std::atomic<unsigned> launchCount{0};
};

class Platform {
public:
  /// The process's: TILEWRIGHT_LIBCUDA, else libcuda.so.1, opened by the first call.
  static Platform &instance();
  /// Makes `instance` one of another library, for tests; an empty name stands for the default one.
  static void replaceInstance(const std::string &library);

  explicit Platform(const std::string &library);
  Platform(const Platform &) = delete;
  Platform &operator=(const Platform &) = delete;

  /// Why there is no device to run on; empty where there is one.
  const std::string &problem() const { return whyNot; }
  /// 12080 for CUDA 12.8; 0 without a driver.
  int driverVersion() const { return version; }
  const Driver &driver() const { return functions; }

  std::deque<Device> &devices() { return all; }
  /// Null where there is no such device.
  Device *device(int ordinal);
  /// The ordinal of the device whose context is current on this thread; 0 where none is, or no device.
  int currentOrdinal() const;

  /// "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected): ..." with what we know about it.
  std::string describe(Status status) const;

private:
  std::string start();
  std::string addDevice(int ordinal);

  Driver functions;
  std::string whyNot;
  int version = 0;
  int processId = 0;
  std::deque<Device> all;
};

/// While alive, a device's primary context is current on this thread.
class ContextScope {
public:
  explicit ContextScope(Device &device);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

  /// Whether that worked.
  Status status = Status::Success;

private:
  const Driver &driver;
  bool pushed = false;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDAPLATFORM_H
