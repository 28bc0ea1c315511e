// A block of threads while it runs: what the functions of instructions see.

#ifndef TILEWRIGHT_EMULATOR_BLOCK_H
#define TILEWRIGHT_EMULATOR_BLOCK_H

#include "tilewright/Emulator/Instruction.h"
#include "tilewright/Emulator/Launch.h"

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

constexpr int kLanes = 32;
constexpr uint32_t kAllLanes = 0xffffffff;

/// A copy from global to shared memory that may not have arrived.
struct AsyncCopy {
  uint64_t to = 0;   ///< in shared memory
  uint64_t from = 0; ///< in global memory
  uint32_t size = 0; ///< bytes written
  uint32_t read = 0; ///< bytes of them that are read; the rest become zeros
  int32_t site = 0;
};

/// Where accesses of some number of bytes may begin, as far as code that is not checked has found out: `count`
/// addresses from `begin` on. Accesses elsewhere are looked at.
struct KnownPlaces {
  uint64_t begin = 0;
  uint64_t count = 0;

  bool include(uint64_t address) const { return address - begin < count; }

  /// There are so many for each size of 1, 2, 4, ... bytes. Accesses of one size may share an entry, which only makes
  /// them slower.
  static constexpr unsigned kEach = 64, kSizes = 6;
  static constexpr unsigned kEntries = kEach * kSizes;
  static constexpr bool hasEntry(uint64_t bytes) { return (bytes & (bytes - 1)) == 0 && bytes < 1 << kSizes; }
  static constexpr unsigned entryOf(uint32_t bytes, unsigned number) {
    return static_cast<unsigned>(__builtin_ctz(bytes)) * kEach + number % kEach;
  }
};

struct Thread {
  // Generated code reads and writes these three, at these offsets.
  int64_t ticks = 0;               ///< counted down in every loop; below zero the code calls the emulator
  unsigned char *shared = nullptr; ///< the block's shared memory
  KnownPlaces *places = nullptr;   ///< the block's, used by code that is not checked

  Block *block = nullptr;
  Warp *warp = nullptr;
  uint32_t index = 0; ///< %tid.x
  uint32_t lane() const { return index % kLanes; }

  /// Asynchronous copies in the order of their issue, and how many of them each committed group has.
  std::vector<AsyncCopy> copies;
  std::vector<uint32_t> copyGroups;

  // What relaxed atomics order depends on the fences around them; kept for the check of races.
  bool isFenced = false;                 ///< whether it has come to a fence: its atomics release what it did before
  std::unordered_set<uint64_t> unfenced; ///< addresses of its atomics since the last one, which will acquire them

  enum State : uint8_t { Fresh, Ready, Running, Waiting, Done };
  State state = Fresh;
  int32_t waitsAt = 0;     ///< the site, while Waiting
  void *context = nullptr; ///< of the scheduler: where to go on
  void *stack = nullptr;   ///< of the scheduler
  int64_t granted = 0;     ///< what `ticks` was when it was last set
  int64_t steps = 0;       ///< turns of loops that were made until then

  /// Sets `ticks` to as many turns as may be made until the emulator is called.
  void grantTicks();

  /// Lets the other threads run until another one calls Block::wake for this one. Returns after that.
  void wait(int32_t site);
  /// Lets the other threads run, and goes on when all of them have.
  void yield();
  /// Comes together with the other lanes of `mask` to execute `function`, which one of them then does for all.
  void converge(WarpFunction function, uint32_t mask, int32_t site, const uint64_t *in, uint64_t *out);
  /// Reports something about this thread, which is filled in with its program.
  void report(Report::Kind kind, int32_t site, std::string message);
  void report(Report report);
  /// Reports it, and ends the launch. Does not return.
  [[noreturn]] void fail(Report::Kind kind, int32_t site, std::string message);
  /// Does something on the stack of the host's thread, as what may need much of it must be.
  void runOnHostStack(const std::function<void()> &callback);
  /// Ends the program, about which nothing is wrong.
  [[noreturn]] void abandon();
  /// Ends the launch, since what is wrong was reported. Does not return.
  [[noreturn]] void leave();
};

/// Lanes that came to execute an instruction together.
struct WarpCall {
  Warp *warp = nullptr;
  uint32_t mask = 0; ///< who takes part
  int32_t site = 0;  ///< of the lane that came last
  const uint64_t *in[kLanes] = {};
  uint64_t *out[kLanes] = {};

  bool has(int lane) const { return mask >> lane & 1; }
  Thread &thread(int lane) const;
};

/// Threads that came to an instruction for which others are missing.
struct Rendezvous {
  WarpCall call;
  WarpFunction function = nullptr;
  uint32_t arrived = 0;
};

struct Warp {
  Block *block = nullptr;
  uint32_t index = 0;
  uint32_t exited = 0; ///< lanes that are done, or that the block does not have
  std::vector<Rendezvous> rendezvous;
  Thread &thread(int lane) const;
};

/// Threads that came to a barrier, one of the sixteen that a block has.
struct Barrier {
  std::vector<Thread *> arrived;
  int expected = 0; ///< threads; 0: all that are not done
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
  static constexpr int kBarriers = 16;
  Barrier barriers[kBarriers];
  int running = 0; ///< threads that are not done

  /// Shared memory: `sharedBytes` of the kernel at an address below 4 GiB, since pointers to it have 32 bits.
  unsigned char *shared = nullptr;
  bool isShared(uint64_t address) const;

  std::vector<KnownPlaces> places;

  std::unique_ptr<Checker> checker;   ///< of bounds at least
  std::unique_ptr<Counters> counters; ///< null where nothing is counted

  /// Ends this program, and those after it.
  void stop() {
    stopping = true;
    launch.stopAfter(launch.numberOf(program));
  }
  /// Ends this program only.
  void abandon() { stopping = true; }
  /// Whether to go on after a later program has stopped the launch: for some while, since this one may wait for ever
  /// for what the other one would have done.
  bool mayKeepSpinning() { return !launch.isEnding() || --spinBudget > 0; }
  bool isStopped() const { return stopping || launch.isStopped(launch.numberOf(program)); }

  /// A thread that waits goes on.
  void wake(Thread &thread);
  /// A thread came to the end of the kernel.
  void exit(Thread &thread);

private:
  friend struct Thread;
  void reset();
  bool stopping = false;
  static constexpr int64_t kSpinBudget = 20000; ///< times that a thread of the block asks
  int64_t spinBudget = kSpinBudget;
  std::unique_ptr<Scheduler> scheduler;
};

/// Lets those go on that wait at a barrier of the block to which everybody has come by now.
void releaseBarriers(Block &block);

inline Thread &Warp::thread(int lane) const { return block->threads[index * kLanes + lane]; }
inline Thread &WarpCall::thread(int lane) const { return warp->thread(lane); }

/// The function of an instruction of a warp that is executed by all its lanes (`maskOperand` < 0), or by those that an
/// operand names.
template <WarpFunction function, int maskOperand = -1>
void warpWide(Thread &thread, int32_t site, const uint64_t *in, uint64_t *out) {
  uint32_t mask = maskOperand < 0 ? kAllLanes : static_cast<uint32_t>(in[maskOperand < 0 ? 0 : maskOperand]);
  thread.converge(function, mask, site, in, out);
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_BLOCK_H
