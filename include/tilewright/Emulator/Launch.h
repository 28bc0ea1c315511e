// A launch of a kernel on the emulated GPU, and the errors that are found in it.

#ifndef TILEWRIGHT_EMULATOR_LAUNCH_H
#define TILEWRIGHT_EMULATOR_LAUNCH_H

#include "tilewright/Runtime/NamedExtents.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tilewright::emulator {

struct Thread;
class Profile;

/// How a GPU's memory serves the lanes of a warp; by default as NVIDIA's. Counts depend on it, results do not.
struct MemoryRules {
  uint64_t transferBytes = 32; ///< of global memory, in one piece: a sector, or a line of a cache
  int banks = 32;              ///< of shared memory, 4 bytes wide; at most kMostBanks
  /// The order in which shared memory serves the lanes of loads of 16 bytes (layout::SharedMemoryBanks).
  std::array<uint8_t, 6> widestLoadOrder = {1, 2, 4, 8, 16, 32};
  bool joinsPairs = true; ///< adjacent parts of an access are served together if lanes have equal addresses in pairs

  static constexpr int kMostBanks = 64;
};

/// A kernel's code for one thread, loaded into this process. `slots` holds the values of the parameters.
using ThreadCode = void (*)(Thread *thread, const uint64_t *slots);

/// A source location of instructions of the kernel. Number 0 is the unknown location.
struct Site {
  std::string file;
  int line = 0;
  int column = 0;
  std::string instruction; ///< the PTX name, if the site is that of an instruction in the table
  /// "kernel.py:12", or "an unknown line".
  std::string describe() const;
};

struct Kernel {
  ThreadCode code = nullptr;
  int threads = 0; ///< per block, 1 to 1024
  int lanes = 32;  ///< of a warp: 32 or 64
  int64_t sharedBytes = 0;
  /// Whether every memory access calls the emulator. Otherwise only accesses outside the known places do.
  bool checked = false;
  std::vector<Site> sites;
  /// 90 for sm_90. The emulator uses it only for the way in which tensor cores round.
  int architecture = 90;
  MemoryRules memory;
};

/// Memory that was passed to the kernel.
using Tensor = runtime::NamedExtent;

/// When an asynchronous copy writes its bytes: when it is issued, or when the thread waits for it.
enum class CopyTime : uint8_t { Early, Late };

/// How to run, and which checks to do besides those of bounds and alignment, which are always done. The checks require
/// a kernel that is `checked`.
struct Settings {
  bool checkInitialized = false; ///< reads of shared memory that was not written
  bool checkRaces = false;       ///< unordered accesses of two threads of a block
  bool checkCopies = false;      ///< accesses to the bytes of an asynchronous copy before the wait for it
  CopyTime copies = CopyTime::Late;
  uint64_t seed = 0;    ///< determines the order in which threads run; 0: by thread index
  int64_t maxSteps = 0; ///< loop iterations after which a thread is reported as endless; 0: no limit
  bool profile = false;
};

/// An error of a kernel.
struct Report {
  enum Kind {
    Bounds,
    Uninitialized,
    Race,
    Copy,
    Alignment,
    Deadlock,
    Mask,
    Endless,
    Fault,
    Assertion,
    Proxy,     ///< a missing proxy fence
    Register,  ///< registers of a wgmma in flight, or a missing wgmma.fence
    WarpGroup, ///< warps of a group that disagree
    Barrier    ///< a wrong use of a transaction barrier
  };
  Kind kind;
  std::string message; ///< without the kernel, the program and the line
  std::array<int32_t, 3> program = {};
  int32_t thread = 0; ///< %tid.x
  int32_t site = 0;
  int32_t otherThread = -1; ///< the other thread that is involved; -1: none
  int32_t otherSite = 0;
  int32_t ifWritten = -1; ///< the report is only valid if the launch writes this tensor; -1: always valid
};
const char *nameOf(Report::Kind kind);

/// One launch, shared by all its blocks.
struct Launch {
  Launch(const Kernel &kernel, const Settings &settings) : kernel(kernel), settings(settings) {}

  const Kernel &kernel;
  const Settings &settings;
  const uint64_t *slots = nullptr; ///< the values of the code's parameters
  std::array<int32_t, 3> grid = {1, 1, 1};
  std::vector<Tensor> tensors;
  bool tensorsKnown = false;  ///< whether `tensors` is all the memory that was passed to the kernel
  Profile *profile = nullptr; ///< if settings.profile is set

  /// The linear number of a program. Programs start in this order.
  int64_t numberOf(const std::array<int32_t, 3> &program) const {
    return program[0] + int64_t(grid[0]) * (program[1] + int64_t(grid[1]) * program[2]);
  }

  /// Records that some thread writes a tensor.
  void noteWrite(size_t tensor) {
    if (tensor < kTensorsTold && !written[tensor].load(std::memory_order_relaxed)) {
      written[tensor].store(true, std::memory_order_relaxed);
    }
  }

  /// Records a report. If there are several with the same sites and kind, the one of the first program is kept.
  void report(Report report);
  /// Ends the programs after this one when they next call the emulator. Programs before it continue, so that the first
  /// error does not depend on the timing of the host's threads.
  void stopAfter(int64_t program);
  /// Ends all programs.
  void stop() { stopAfter(-1); }
  bool isStopped(int64_t program) const { return program > last.load(std::memory_order_relaxed); }
  /// Whether some program has stopped others.
  bool isEnding() const { return last.load(std::memory_order_relaxed) != std::numeric_limits<int64_t>::max(); }
  /// Must be called after all programs have ended. Sorts the reports by program, and drops those of programs that would
  /// not have run on a host with one thread.
  void settle();

  /// Called regularly on the launching thread, also while a kernel runs: whether to give up.
  std::function<bool()> interrupted;
  const std::thread::id launcher = std::this_thread::get_id();

  static constexpr size_t kMostReports = 20;
  std::vector<Report> reports; ///< guarded by the mutex while blocks run
  int64_t suppressed = 0;      ///< the number of reports that were not kept

private:
  static constexpr size_t kTensorsTold = 256; ///< tensors beyond these are assumed to be written
  std::array<std::atomic<bool>, kTensorsTold> written = {};
  std::mutex mutex;
  std::map<int64_t, int64_t> repeated; // by program: the number of duplicate reports; guarded by the mutex
  std::atomic<int64_t> last{std::numeric_limits<int64_t>::max()}; // the last program that may continue
};

/// Runs the blocks with the linear numbers [begin, end) on the calling thread. Returns false if the launch was stopped.
bool runBlocks(Launch &launch, int64_t begin, int64_t end);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LAUNCH_H
