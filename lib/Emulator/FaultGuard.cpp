// A fiber that faults cannot continue. The signal handler, which has its own stack, resumes the fiber in a function
// that reports the fault and leaves the block, as a failed check does.

#include "FaultGuard.h"

#include "Scheduler.h"
#include "Stacks.h"
#include "tilewright/Emulator/Block.h"

#include <csignal>
#include <cstdio>
#include <mutex>
#include <sys/mman.h>
#include <ucontext.h>

namespace tilewright::emulator {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE};

struct sigaction previousActions[std::size(kSignals)];

struct Fault {
  Block *block = nullptr; // the block that runs on this thread
  Thread *thread = nullptr;
  int signal = 0;
  uintptr_t address = 0;
  bool isStackOverflow = false;
  bool isNonCanonical = false; ///< the system does not say which address it is
};
thread_local Fault fault;

std::string describe(const Fault &fault) {
  if (fault.isStackOverflow) {
    return "the thread's variables take more than the " + std::to_string(StackPool::kBytes >> 10) +
           " KiB of its stack in the emulator";
  }
  if (fault.signal == SIGFPE) {
    return "an integer was divided by zero";
  }
  char address[24];
  std::snprintf(address, sizeof address, " 0x%llx", static_cast<unsigned long long>(fault.address));
  return (fault.isNonCanonical ? std::string("accessed an address") : std::string("accessed the address") + address) +
         " that is not mapped; the line is only found if the extents of all arguments are known";
}

/// A fiber that has faulted continues here.
[[noreturn]] void leaveAfterFault() { fault.thread->fail(Report::Fault, 0, describe(fault)); }

/// The thread of the block whose stack contains the address, or null.
Thread *threadOnStack(Block &block, uintptr_t address) {
  for (Thread &thread : block.threads) {
    auto top = reinterpret_cast<uintptr_t>(thread.stack);
    if (thread.stack && address < top && address >= top - StackPool::kBytes) {
      return &thread;
    }
  }
  return nullptr;
}

bool redirect(int signal, siginfo_t *info, ucontext_t *context) {
#ifdef __x86_64__
  if (!fault.block) {
    return false;
  }
  auto &registers = context->uc_mcontext.gregs;
  auto stackPointer = static_cast<uintptr_t>(registers[REG_RSP]);
  fault.thread = threadOnStack(*fault.block, stackPointer);
  if (!fault.thread) {
    return false;
  }
  fault.signal = signal;
  fault.address = reinterpret_cast<uintptr_t>(info->si_addr);
  fault.isNonCanonical = info->si_code == SI_KERNEL;
  fault.isStackOverflow = !fault.isNonCanonical && StackPool::instance().isGuard(info->si_addr);
  // The fiber's stack is no longer needed, so that it is used from its top. The 8 bytes stand for a return address: the
  // ABI aligns the stack to 16 bytes before a call.
  registers[REG_RSP] = reinterpret_cast<uintptr_t>(fault.thread->stack) - 64 - 8;
  registers[REG_RIP] = reinterpret_cast<greg_t>(&leaveAfterFault);
  return true;
#else
  return false;
#endif
}

void handle(int signal, siginfo_t *info, void *context) {
  if (redirect(signal, info, static_cast<ucontext_t *>(context))) {
    return;
  }
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    if (kSignals[i] == signal) {
      const struct sigaction &previous = previousActions[i];
      if (previous.sa_flags & SA_SIGINFO) {
        return previous.sa_sigaction(signal, info, context);
      }
      if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        return previous.sa_handler(signal);
      }
    }
  }
  // The instruction will be executed again, and its signal will get the default action.
  std::signal(signal, SIG_DFL);
}

void install() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      sigaction(kSignals[i], &action, &previousActions[i]);
    }
  });
}

/// The stack of the signal handler: the fault may be an overflow of the fiber's stack.
class SignalStack {
public:
  SignalStack() {
    memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {};
    stack.ss_sp = memory;
    stack.ss_size = kBytes;
    if (memory != MAP_FAILED && sigaltstack(nullptr, &previous) == 0) {
      sigaltstack(&stack, nullptr);
    }
  }
  ~SignalStack() {
    if (memory != MAP_FAILED) {
      sigaltstack(&previous, nullptr);
      munmap(memory, kBytes);
    }
  }

private:
  static constexpr size_t kBytes = 64 << 10;
  void *memory;
  stack_t previous = {};
};

} // namespace

FaultGuard::FaultGuard(Block &block) : outer(fault.block) {
  install();
  thread_local SignalStack stack;
  fault.block = &block;
}

FaultGuard::~FaultGuard() { fault.block = outer; }

} // namespace tilewright::emulator
