#include "Scheduler.h"

#include "SanitizedFibers.h"
#include "Stacks.h"

#include <algorithm>
#include <boost/context/detail/fcontext.hpp>

namespace tilewright::emulator {

namespace context = boost::context::detail;

/// Switches to the fiber `to` on `stack` (null: the host thread), and passes it the address `from`, where it stores the
/// context of the calling fiber.
static void *jump(void *to, void *stack, void **from) {
  switchToFiber(stack);
  context::transfer_t transfer = context::jump_fcontext(to, static_cast<void *>(from));
  *static_cast<void **>(transfer.data) = transfer.fctx;
  return nullptr;
}

/// The arguments of a new fiber. They are only valid until it has started.
struct FiberEntry {
  Scheduler *scheduler;
  void *stack;
  void **from;

  static void run(context::transfer_t transfer) {
    FiberEntry entry = *static_cast<FiberEntry *>(transfer.data);
    *entry.from = transfer.fctx;
    entry.scheduler->runThreads(entry.stack);
  }
};

//===----------------------------------------------------------------------===//
// Selecting the next thread
//===----------------------------------------------------------------------===//

/// The list is a stack, so that threads that were just woken run before other warps start: their data is still in the
/// host's caches.
Thread *Scheduler::takeReady() {
  // Copies complete as late as possible: if only loops could continue, which may wait for what a copy makes possible.
  while (ready.empty() && block.transactions.completeOne(block, isShuffled ? &random : nullptr)) {
  }
  if (ready.empty()) {
    ready.assign(yielded.rbegin(), yielded.rend());
    yielded.clear();
  }
  if (ready.empty()) {
    return nullptr;
  }
  if (isShuffled) {
    std::swap(ready[random() % ready.size()], ready.back());
  }
  Thread *thread = ready.back();
  ready.pop_back();
  return thread;
}

Thread *Scheduler::next() {
  if (block.isStopped()) {
    isAborted = true;
    return nullptr;
  }
  return takeReady();
}

void Scheduler::wake(Thread &thread) {
  thread.state = Thread::Ready;
  ready.push_back(&thread);
}

//===----------------------------------------------------------------------===//
// Switching
//===----------------------------------------------------------------------===//

/// Starts a thread on a new fiber. Returns when another fiber switches back to `from`.
void Scheduler::start(Thread &thread, void **from) {
  FiberEntry entry{this, StackPool::instance().take(), from};
  if (!entry.stack) {
    thread.report(Report::Fault, 0, "could not allocate the stack of another thread");
    block.stop();
    isAborted = true;
    if (mainContext) {
      jump(mainContext, nullptr, from);
    }
    return;
  }
  current = &thread;
  createFiber(entry.stack);
  switchToFiber(entry.stack);
  void *fiber = context::make_fcontext(entry.stack, StackPool::kBytes, &FiberEntry::run);
  context::transfer_t transfer = context::jump_fcontext(fiber, &entry);
  *static_cast<void **>(transfer.data) = transfer.fctx;
}

/// The body of a fiber: runs threads that have not started, until the next thread is one that has, or there is none.
void Scheduler::runThreads(void *stack) {
  while (true) {
    Thread &self = *current;
    self.state = Thread::Running;
    self.stack = stack;
    block.launch.kernel.code(&self, block.launch.slots);
    self.state = Thread::Done;
    self.stack = nullptr;
    block.exit(self);
    Thread *nextThread = next();
    if (nextThread && nextThread->state == Thread::Fresh) {
      current = nextThread;
      continue;
    }
    // No other fiber can take the stack before the jump below leaves this one.
    StackPool::instance().give(stack);
    void *discarded;
    if (nextThread) {
      current = nextThread;
      nextThread->state = Thread::Running;
    }
    jump(nextThread ? nextThread->context : mainContext, nextThread ? nextThread->stack : nullptr, &discarded);
  }
}

void Scheduler::switchFrom(Thread &self) {
  Thread *nextThread = next();
  if (nextThread == &self) {
    self.state = Thread::Running;
    return;
  }
  if (!nextThread) {
    jump(mainContext, nullptr, &self.context);
  } else if (nextThread->state == Thread::Fresh) {
    start(*nextThread, &self.context);
  } else {
    current = nextThread;
    nextThread->state = Thread::Running;
    jump(nextThread->context, nextThread->stack, &self.context);
  }
}

void Scheduler::wait(Thread &self) {
  self.state = Thread::Waiting;
  switchFrom(self);
}

void Scheduler::yield(Thread &self) {
  self.state = Thread::Ready;
  yielded.push_back(&self);
  switchFrom(self);
}

void Scheduler::runOnHostStack(Thread &self, const std::function<void()> &work) {
  callback = &work;
  jump(mainContext, nullptr, &self.context);
}

void Scheduler::leave() {
  isAborted = true;
  void *discarded;
  jump(mainContext, nullptr, &discarded);
  __builtin_unreachable();
}

//===----------------------------------------------------------------------===//
// Running a block
//===----------------------------------------------------------------------===//

void Scheduler::reclaimStacks() {
  for (Thread &thread : block.threads) {
    if (thread.stack) {
      StackPool::instance().give(thread.stack);
      thread.stack = nullptr;
    }
  }
}

bool Scheduler::run(uint64_t seed) {
  isShuffled = seed != 0;
  random.seed(seed);
  isAborted = false;
  mainContext = nullptr;
  yielded.clear();
  ready.clear();
  for (auto thread = block.threads.rbegin(); thread != block.threads.rend(); ++thread) {
    ready.push_back(&*thread);
  }
  enterHostThread();
  start(*takeReady(), &mainContext);
  while (callback) {
    (*callback)();
    callback = nullptr;
    jump(current->context, current->stack, &mainContext);
  }
  reclaimStacks();
  return !isAborted && block.running == 0;
}

} // namespace tilewright::emulator
