// The state of a running thread block, on which the functions of instructions operate.

#ifndef TILEWRIGHT_EMULATOR_BLOCK_H
#define TILEWRIGHT_EMULATOR_BLOCK_H

#include "tilewright/Emulator/AccessKind.h"
#include "tilewright/Emulator/Boxes.h"
#include "tilewright/Emulator/Instruction.h"
#include "tilewright/Emulator/Launch.h"
#include "tilewright/Emulator/WarpGroup.h"
#include "tilewright/Emulator/WgmmaQueue.h"

#include <functional>
#include <memory>
#include <unordered_set>
#include <vector>

namespace tilewright::emulator {

class Block;
class Checker;
class Counters;
class Scheduler;
struct Warp;

/// The lanes of a warp of NVIDIA's GPUs.
constexpr int kLanes = 32;
constexpr uint32_t kAllLanes = 0xffffffff;
/// The most lanes of a warp: those of CDNA's waves.
constexpr int kMostLanes = 64;

/// A set of lanes of a warp, one bit each.
using LaneMask = uint64_t;
constexpr LaneMask laneBit(uint32_t lane) { return LaneMask(1) << lane; }
/// The first `lanes` lanes; 1 to kMostLanes.
constexpr LaneMask firstLanes(int lanes) { return ~LaneMask(0) >> (kMostLanes - lanes); }

/// Calls `visit` with the number of each lane of the set, in order.
template <typename Visit> void forEachLane(LaneMask mask, Visit visit) {
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) {
    visit(__builtin_ctzll(rest));
  }
}

/// A copy from global to shared memory that may not have completed.
struct AsyncCopy {
  uint64_t to = 0;   ///< in shared memory
  uint64_t from = 0; ///< in global memory
  uint32_t size = 0; ///< bytes written
  uint32_t read = 0; ///< bytes that are read from global memory; the rest are filled with zeros
  int32_t site = 0;
};

/// A cache for unchecked code: the `count` addresses from `begin` on at which an access of some number of bytes is
/// known to be in bounds. An access at any other address calls the emulator, which checks it.
struct KnownPlaces {
  uint64_t begin = 0;
  uint64_t count = 0;

  bool include(uint64_t address) const { return address - begin < count; }

  /// There are kEach entries for each access size of 1, 2, 4, ... bytes. Accesses of one size may share an entry, which
  /// only makes them slower.
  static constexpr unsigned kEach = 64, kSizes = 6;
  static constexpr unsigned kEntries = kEach * kSizes;
  static constexpr bool hasEntry(uint64_t bytes) { return (bytes & (bytes - 1)) == 0 && bytes < 1 << kSizes; }
  static constexpr unsigned entryOf(uint32_t bytes, unsigned number) {
    return static_cast<unsigned>(__builtin_ctz(bytes)) * kEach + number % kEach;
  }
};

struct Thread {
  // Generated code accesses these three members at their offsets.
  int64_t ticks = 0;               ///< decremented in every loop iteration; below zero the code calls the emulator
  unsigned char *shared = nullptr; ///< the block's shared memory
  KnownPlaces *places = nullptr;   ///< the block's, used by code that is not checked

  Block *block = nullptr;
  Warp *warp = nullptr;
  uint32_t index = 0;             ///< %tid.x
  uint32_t lastLane = kLanes - 1; ///< the lanes of a warp, which are a power of two, less one
  uint32_t lane() const { return index & lastLane; }

  /// Asynchronous copies in the order in which they were issued, and the number of copies in each committed group.
  std::vector<AsyncCopy> copies;
  std::vector<uint32_t> copyGroups;

  /// Copies of boxes from shared memory, as `copies` and `copyGroups`, and the number that the thread has issued.
  std::vector<BoxStore> stores;
  std::vector<uint32_t> storeGroups;
  uint64_t storesIssued = 0;
  uint64_t awaits = 0; ///< the address of the transaction barrier for which the thread waits; 0: none

  // For the race check: fences before and after relaxed atomics turn them into releases and acquires.
  bool isFenced = false;                 ///< whether the thread has executed a fence, so that its atomics release
  std::unordered_set<uint64_t> unfenced; ///< addresses of its atomics since the last fence, which the next one acquires

  /// Of the barrier of AMD's GPUs at which the thread waits, which orders nothing by itself: what fences before it
  /// release, and what those behind it acquire, a set of memory spaces (bitOf).
  uint8_t releasesAtBarrier = kAllSpaces, acquiresAtBarrier = kAllSpaces;

  enum State : uint8_t { Fresh, Ready, Running, Waiting, Done };
  State state = Fresh;
  int32_t waitsAt = 0;     ///< the site, while Waiting
  void *context = nullptr; ///< owned by the scheduler: where the fiber resumes
  void *stack = nullptr;   ///< owned by the scheduler
  int64_t granted = 0;     ///< the value to which `ticks` was last set
  int64_t steps = 0;       ///< loop iterations that were executed before `ticks` was last set

  /// Sets `ticks` to the number of loop iterations that may run before the code calls the emulator again.
  void grantTicks();

  /// Suspends this thread and runs others. Returns after another thread has called Block::wake for this one.
  void wait(int32_t site);
  /// Suspends this thread until every thread that is ready has run.
  void yield();
  /// Waits for the other lanes of `mask` to reach `function`. The lane that arrives last executes it for all of them.
  void converge(WarpFunction function, LaneMask mask, int32_t site, const uint64_t *in, uint64_t *out);
  /// Waits for the lanes that execute the instruction at `place` together with this one, on a GPU whose instructions
  /// have no masks: see Meeting.
  void meet(WarpFunction function, uint64_t place, int32_t site, const uint64_t *in, uint64_t *out);
  /// Reports an error of this thread. The report's thread and program are filled in.
  void report(Report::Kind kind, int32_t site, std::string message);
  void report(Report report);
  /// Reports an error and ends the launch.
  [[noreturn]] void fail(Report::Kind kind, int32_t site, std::string message);
  /// Runs `callback` on the stack of the host's thread, for callbacks that need more than a fiber's stack.
  void runOnHostStack(const std::function<void()> &callback);
  /// Ends this program without an error.
  [[noreturn]] void abandon();
  /// Ends the launch after an error was reported.
  [[noreturn]] void leave();
};

/// The lanes that execute an instruction together.
struct WarpCall {
  Warp *warp = nullptr;
  LaneMask mask = 0; ///< the participating lanes
  int32_t site = 0;  ///< the site of the lane that arrived last
  const uint64_t *in[kMostLanes] = {};
  uint64_t *out[kMostLanes] = {};

  bool has(int lane) const { return mask >> lane & 1; }
  Thread &thread(int lane) const;
};

/// An instruction that some lanes of its mask have reached and others have not.
struct Rendezvous {
  WarpCall call;
  WarpFunction function = nullptr;
  LaneMask arrived = 0;
};

/// An instruction of AMD's GPUs that some lanes have reached. The lanes of a wave execute together, without those that
/// a branch led elsewhere. Here each lane runs on its own, so that an instruction is executed when all lanes of the
/// wave wait or have ended, and of those that are waited for the first in the order of the code: lanes meet again where
/// branches do, and a loop's other lanes wait behind it.
struct Meeting {
  WarpCall call; ///< its mask are the lanes that have arrived
  WarpFunction function = nullptr;
  uint64_t place = 0; ///< in the order of the code
};

struct Warp {
  Block *block = nullptr;
  uint32_t index = 0;
  uint32_t lanes = kLanes;
  LaneMask exited = 0;  ///< lanes that have ended, or that do not exist in the last warp of the block
  LaneMask waiting = 0; ///< lanes in the state Waiting
  std::vector<Rendezvous> rendezvous;
  std::vector<Meeting> meetings;
  WgmmaQueue wgmmas;
  Thread &thread(int lane) const;
};

/// One of the sixteen barriers of a block.
struct Barrier {
  std::vector<Thread *> arrived; ///< the threads that wait
  int announced = 0;             ///< number of threads that have arrived and do not wait
  int expected = 0;              ///< number of threads; 0: all that have not ended
};

class Block {
public:
  explicit Block(Launch &launch);
  ~Block();

  /// Runs one program to its end. Returns false if the launch was stopped.
  bool run(std::array<int32_t, 3> program);

  Launch &launch;
  std::array<int32_t, 3> program = {};
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<WarpGroup> groups; ///< of four warps each; the last one may be incomplete
  static constexpr int kBarriers = 16;
  Barrier barriers[kBarriers];
  TransactionBarriers transactions;
  int running = 0; ///< number of threads that have not ended

  /// The `sharedBytes` of shared memory that the kernel has. They lie below 4 GiB because pointers to shared memory
  /// have 32 bits.
  unsigned char *shared = nullptr;
  bool isShared(uint64_t address) const;

  std::vector<KnownPlaces> places;

  /// What HIP's runtime passes in addition to a kernel's arguments (LLVM's AMDGPUUsage, code object version 5).
  struct HiddenArguments {
    uint32_t groups[3] = {};    ///< workgroups along each axis
    uint16_t threads[3] = {};   ///< of a workgroup
    uint16_t unknown[119] = {}; ///< others, which are not provided
  };
  HiddenArguments hidden;

  std::unique_ptr<Checker> checker;   ///< checks bounds and alignment at least
  std::unique_ptr<Counters> counters; ///< null if nothing is counted

  /// Ends this program and those after it.
  void stop() {
    stopping = true;
    launch.stopAfter(launch.numberOf(program));
  }
  /// Ends this program only.
  void abandon() { stopping = true; }
  /// Whether this program may continue. After another program has stopped the launch, this one continues for a limited
  /// number of calls only, because it may spin on a value that the stopped program no longer writes.
  bool mayKeepSpinning() { return !launch.isEnding() || --spinBudget > 0; }
  bool isStopped() const { return stopping || launch.isStopped(launch.numberOf(program)); }

  /// Makes a waiting thread ready to run.
  void wake(Thread &thread);
  /// Called when a thread reaches the end of the kernel.
  void exit(Thread &thread);

private:
  friend struct Thread;
  void reset();
  bool stopping = false;
  static constexpr int64_t kSpinBudget = 20000; ///< calls of mayKeepSpinning() while the launch is ending
  int64_t spinBudget = kSpinBudget;
  std::unique_ptr<Scheduler> scheduler;
};

/// The Instruction::function of an instruction that the active lanes of a wave execute together. Operand 0 is its place
/// in the code (Instruction::needsPlace).
template <WarpFunction function> void waveWide(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out) {
  thread.meet(function, in[0], site, in + 1, out);
}

/// Wakes the threads of every barrier of the block that is complete now.
void releaseBarriers(Block &block);

inline Thread &Warp::thread(int lane) const { return block->threads[index * lanes + lane]; }
inline Thread &WarpCall::thread(int lane) const { return warp->thread(lane); }

/// The Instruction::function of a collective instruction. It is executed by all lanes of the warp (`maskOperand` < 0),
/// or by the lanes in the mask that is operand number `maskOperand`.
template <WarpFunction function, int maskOperand = -1>
void warpWide(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out) {
  uint32_t mask = maskOperand < 0 ? kAllLanes : static_cast<uint32_t>(in[maskOperand < 0 ? 0 : maskOperand]);
  thread.converge(function, mask, site, in, out);
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_BLOCK_H
