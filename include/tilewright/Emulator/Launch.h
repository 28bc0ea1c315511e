// A grid of programs that is run on the emulated GPU, and what is found out about it.

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

/// A kernel's code, in this process: what one thread does. `slots` holds the values of the parameters.
using ThreadCode = void (*)(Thread *thread, const uint64_t *slots);

/// A place in the source that instructions of the kernel come from. Number 0 is an unknown one.
struct Site {
  std::string file;
  int line = 0;
  int column = 0;
  std::string instruction; ///< by PTX's name, where one stands for itself
  /// "kernel.py:12", or "an unknown line".
  std::string describe() const;
};

struct Kernel {
  ThreadCode code = nullptr;
  int threads = 0; ///< of a block, 1 to 1024
  int64_t sharedBytes = 0;
  bool checked = false; ///< whether every access of memory calls the emulator, and not only those it has to look at
  std::vector<Site> sites;
  /// sm_90 is 90. Only what differs from one to the next: how tensor cores round.
  int architecture = 90;
};

/// Memory that the kernel was given.
using Tensor = runtime::NamedExtent;

/// When an asynchronous copy's bytes arrive: when it is issued, or when the thread waits for it.
enum class CopyTime : uint8_t { Early, Late };

/// How to run, and what to look for besides accesses out of bounds and misaligned ones, which are always looked for.
/// Checks need a kernel that is `checked`.
struct Settings {
  bool checkInitialized = false; ///< shared memory that is read and was not written
  bool checkRaces = false;       ///< accesses of two threads of a block that nothing orders
  bool checkCopies = false;      ///< bytes of an asynchronous copy that are touched before the wait for it
  CopyTime copies = CopyTime::Late;
  uint64_t seed = 0;    ///< the order in which threads run; 0 is that of their numbers
  int64_t maxSteps = 0; ///< a thread that takes more is taken not to end; 0: no limit
  bool profile = false;
};

/// Something that a kernel does wrong.
struct Report {
  enum Kind { Bounds, Uninitialized, Race, Copy, Alignment, Deadlock, Mask, Endless, Fault, Assertion };
  Kind kind;
  std::string message; ///< without kernel, program and line
  std::array<int32_t, 3> program = {};
  int32_t thread = 0; ///< %tid.x
  int32_t site = 0;
  int32_t otherThread = -1; ///< of a race, and of a wait: the other party
  int32_t otherSite = 0;
  int32_t ifWritten = -1; ///< only right if the launch writes this tensor; -1: in any case
};
const char *nameOf(Report::Kind kind);

/// One launch; all blocks share it.
struct Launch {
  Launch(const Kernel &kernel, const Settings &settings) : kernel(kernel), settings(settings) {}

  const Kernel &kernel;
  const Settings &settings;
  const uint64_t *slots = nullptr; ///< one for each parameter of the code
  std::array<int32_t, 3> grid = {1, 1, 1};
  std::vector<Tensor> tensors;
  bool tensorsKnown = false;  ///< whether the kernel was given no other memory than `tensors`
  Profile *profile = nullptr; ///< of settings.profile

  /// The number of a program in the order in which programs begin.
  int64_t numberOf(const std::array<int32_t, 3> &program) const {
    return program[0] + int64_t(grid[0]) * (program[1] + int64_t(grid[1]) * program[2]);
  }

  /// Notes that some thread writes a tensor.
  void noteWrite(size_t tensor) {
    if (tensor < kTensorsTold && !written[tensor].load(std::memory_order_relaxed)) {
      written[tensor].store(true, std::memory_order_relaxed);
    }
  }

  /// Notes a report. Of several of the same place and kind the one of the first program is kept.
  void report(Report report);
  /// Programs after this one end when they next call the emulator. Those before it go on, so that what is found first
  /// does not depend on which of the host's threads was quicker.
  void stopAfter(int64_t program);
  /// Ends all programs.
  void stop() { stopAfter(-1); }
  bool isStopped(int64_t program) const { return program > last.load(std::memory_order_relaxed); }
  /// Whether some program has stopped others.
  bool isEnding() const { return last.load(std::memory_order_relaxed) != std::numeric_limits<int64_t>::max(); }
  /// When no program is running any more: puts the reports in the programs' order, and drops what those found that
  /// would not have run if the host had one thread.
  void settle();

  /// Asked now and then on the launching thread, also while a kernel runs: whether to give up.
  std::function<bool()> interrupted;
  const std::thread::id launcher = std::this_thread::get_id();

  static constexpr size_t kMostReports = 20;
  std::vector<Report> reports; ///< guarded by the mutex while blocks run
  int64_t suppressed = 0;      ///< how many more there were

private:
  static constexpr size_t kTensorsTold = 256; ///< all further ones are taken to be written
  std::array<std::atomic<bool>, kTensorsTold> written = {};
  std::mutex mutex;
  std::map<int64_t, int64_t> repeated; // by program: how many reports were not kept; guarded by the mutex
  std::atomic<int64_t> last{std::numeric_limits<int64_t>::max()}; // program that goes on
};

/// Runs the blocks with the linear numbers [begin, end) on the calling thread. Returns false if the launch was stopped.
bool runBlocks(Launch &launch, int64_t begin, int64_t end);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LAUNCH_H
