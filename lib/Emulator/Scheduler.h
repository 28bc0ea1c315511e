// Which thread of a block runs: each is a fiber, and one runs until it waits for others.
//
//   thread 0 ──shuffle: waits──▶ thread 1 ── ... ──▶ thread 31 has come last, does it for all, and goes on
//                                                        └─waits─▶ thread 0 goes on
//
// A switch goes from fiber to fiber. A fiber whose thread has ended takes the next thread that has not begun, so that a
// kernel in which nobody waits needs one.

#ifndef TILEWRIGHT_LIB_EMULATOR_SCHEDULER_H
#define TILEWRIGHT_LIB_EMULATOR_SCHEDULER_H

#include "tilewright/Emulator/Block.h"

#include <functional>
#include <random>

namespace tilewright::emulator {

class Scheduler {
public:
  explicit Scheduler(Block &block) : block(block) {}

  /// Runs all threads of the block. Returns false if somebody left, or nobody can go on.
  bool run(uint64_t seed);

  /// The running thread lets others run until it is woken.
  void wait(Thread &self);
  void yield(Thread &self);
  void wake(Thread &thread);
  /// Has the host's thread do something on its own stack, and goes on when that is done.
  void runOnHostStack(Thread &self, const std::function<void()> &callback);
  /// Ends the block; the fibers are forgotten where they stand.
  [[noreturn]] void leave();

private:
  void runThreads(void *stack);
  void start(Thread &thread, void **from);
  void switchFrom(Thread &self);
  Thread *next();
  Thread *takeReady();
  void reclaimStacks();

  friend struct FiberEntry;

  Block &block;
  std::vector<Thread *> ready;   ///< the next one last
  std::vector<Thread *> yielded; ///< whose turn comes when nobody is ready, in order
  std::mt19937_64 random;
  bool isShuffled = false;
  Thread *current = nullptr;
  void *mainContext = nullptr;
  const std::function<void()> *callback = nullptr;
  bool left = false;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_SCHEDULER_H
