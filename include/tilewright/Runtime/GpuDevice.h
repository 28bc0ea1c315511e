// A GPU as every driver reports it.
//
// Errors of a kernel are reported late: a later call for its device returns the status, and so does every call after
// that. Therefore a device records which kernels were launched last, and whether it is lost.

#ifndef TILEWRIGHT_RUNTIME_GPUDEVICE_H
#define TILEWRIGHT_RUNTIME_GPUDEVICE_H

#include "tilewright/Runtime/Excess.h"
#include "tilewright/Runtime/Mailbox.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// The limits of a device, per block except for `grid`.
struct DeviceLimits {
  int threads = 0;
  int registers = 0;   ///< 32-bit registers
  int sharedBytes = 0; ///< static and dynamic
  std::array<int, 3> grid = {0, 0, 0};
};

/// Properties of a device that only programs read; 0 if the driver does not report them.
struct DeviceProperties {
  int multiprocessors = 0;
  int warpSize = 0;
  int clockKilohertz = 0;
  int memoryClockKilohertz = 0;
  int memoryBusBits = 0;
};

/// The resources of a kernel, as the driver reports them.
struct KernelResources {
  int registers = 0;  ///< per thread
  int localBytes = 0; ///< per thread: spilled registers, and arrays that are not kept in registers
  int staticSharedBytes = 0;
  int maxThreads = 0; ///< per block, as limited by its registers and by the code's own declaration
};

/// Why a kernel cannot be loaded or launched.
struct KernelProblem {
  std::string message;
  bool isAssertion = false;     ///< an earlier kernel's assertion failed
  std::optional<Excess> excess; ///< the resource that the kernel exceeds, if that is the reason
};

/// The first of these limits that a block exceeds: shared memory, threads.
std::optional<Excess> excessOfMemoryOrThreads(const DeviceLimits &limits, int lanesPerWarp, int64_t sharedBytes,
                                              int threads);
/// The same for the threads that a kernel was compiled for.
std::optional<Excess> excessOfCompiledThreads(const KernelResources &kernel, int threads);
/// The first axis of the grid that exceeds the device's limit.
std::optional<Excess> excessOfGrid(const DeviceLimits &limits, const Grid &grid);

class GpuDevice {
public:
  /// `kind` is the first part of the names of such devices: "cuda" in "cuda:0".
  GpuDevice(const char *kind, int ordinal, bool survivesReports)
      : ordinal(ordinal), survivesReports(survivesReports), kind(kind) {}
  virtual ~GpuDevice() = default;

  const int ordinal;
  /// Whether the device continues after code has reported a failure in its mailbox, so that only the mailbox tells.
  const bool survivesReports;
  std::string name; ///< "NVIDIA H200"
  size_t memoryBytes = 0;
  DeviceLimits limits;
  DeviceProperties properties;

  /// "cuda:0"
  std::string label() const { return kind + (":" + std::to_string(ordinal)); }

  /// Also works while a stream is being captured.
  bool allocateMailbox(Mailbox &mailbox, KernelProblem &problem);

  /// Records a launch. `kernel` is a label that must never be freed.
  void noteLaunch(const char *kernel);
  /// The kernels that were launched last, each one once, the newest first.
  std::vector<std::string> lastLaunches() const;

  /// Marks the device as lost, unless it already is. `cause` describes the error, `hint` how to find the kernel that
  /// caused it. Returns the message.
  std::string lose(const std::string &cause, const std::string &hint);
  /// Why the device is lost; empty if it is not.
  std::string lostBecause() const;
  bool isLost() const { return lost.load(std::memory_order_acquire); }

protected:
  mutable std::mutex mutex;

private:
  /// Allocates memory of the host that the device can access, for mailboxes; also while a stream is being captured.
  virtual bool allocatePage(MailboxPage &page, KernelProblem &problem) = 0;

  MailboxMemory mailboxes; // guarded by the mutex
  const char *const kind;
  std::atomic<bool> lost{false};
  std::string reason; // guarded by the mutex
  static constexpr unsigned kKeptLaunches = 8;
  std::array<std::atomic<const char *>, kKeptLaunches> launches{};
  std::atomic<unsigned> launchCount{0};
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_GPUDEVICE_H
