// Schedules the threads of a block cooperatively. Each thread runs on a fiber until it waits for others.
//
//   thread 0 ──shuffle: waits──▶ thread 1 ── ... ──▶ thread 31 arrives last, executes it for all, and continues
//                                                        └─waits─▶ thread 0 continues
//
// Fibers switch to each other directly. A fiber whose thread has ended runs the next thread that has not started, so
// that a kernel in which no thread waits needs one fiber only.

#ifndef TILEWRIGHT_LIB_EMULATOR_SCHEDULER_H
#define TILEWRIGHT_LIB_EMULATOR_SCHEDULER_H

#include "tilewright/Emulator/Block.h"

#include <functional>
#include <random>

namespace tilewright::emulator {

class Scheduler {
public:
  // NOLINTNEXTLINE(bugprone-random-generator-seed): run() sets the seed
  explicit Scheduler(Block &block) : block(block) {}

  /// Runs all threads of the block. Returns false if leave() was called, the launch was stopped, or there is a
  /// deadlock.
  bool run(uint64_t seed);

  /// wait() suspends the running thread until it is woken; yield() until all threads that are ready have run.
  void wait(Thread &self);
  void yield(Thread &self);
  void wake(Thread &thread);
  /// Runs `work` on the stack of the host's thread, and then resumes the running thread.
  void runOnHostStack(Thread &self, const std::function<void()> &work);
  /// Ends the block. The fibers are abandoned without unwinding their stacks.
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
  std::vector<Thread *> ready;   ///< a stack: the last one runs next
  std::vector<Thread *> yielded; ///< in order; they become ready when `ready` is empty
  std::mt19937_64 random;
  bool isShuffled = false;
  Thread *current = nullptr;
  void *mainContext = nullptr;
  const std::function<void()> *callback = nullptr;
  bool isAborted = false;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_SCHEDULER_H
