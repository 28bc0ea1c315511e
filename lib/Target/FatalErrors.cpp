#include "tilewright/Target/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Regex.h"

#include <csetjmp>
#include <mutex>
#include <new>
#include <string>
#include <system_error>

namespace tilewright::codegen {

namespace {
struct Recovery {
  std::jmp_buf place;
  std::string message;
};
} // namespace

static thread_local Recovery *recovery = nullptr;

/// Jumps out of LLVM's frames without unwinding. They are compiled without exceptions and hold no locks during code
/// generation. The memory that they own is leaked.
static void leave(void *, const char *reason, bool) {
  if (recovery) {
    recovery->message = reason;
    std::longjmp(recovery->place, 1);
  }
}

/// The first line of a message such as "Cannot select: 0x55dc3ba1fae0: f32 = fsin 0x55dc3ba1fa00", without the
/// addresses.
static std::string summarize(llvm::StringRef message) {
  llvm::Regex address(" 0x[0-9a-f]+[:,]?");
  std::string line = message.split('\n').first.str();
  while (address.match(line)) {
    line = address.sub("", line);
  }
  return line;
}

/// LLVM's other allocations throw this too, in operator new.
[[noreturn]] static void throwBadAlloc(void *, const char *, bool) { throw std::bad_alloc(); }

void installErrorHandlers() {
  static std::once_flag installed;
  std::call_once(installed, [] {
    llvm::install_fatal_error_handler(leave);
    llvm::install_bad_alloc_error_handler(throwBadAlloc);
  });
}

llvm::Error runGuarded(llvm::function_ref<void()> step, llvm::StringRef what) {
  installErrorHandlers();
  Recovery mine;
  Recovery *const outer = recovery;
  const void *const stackTrace = llvm::SavePrettyStackState();
  bool isOutOfMemory = false;
  if (setjmp(mine.place) == 0) {
    recovery = &mine;
    try {
      step();
      recovery = outer;
      return llvm::Error::success();
    } catch (const std::bad_alloc &) {
      isOutOfMemory = true;
    }
  }
  recovery = outer;
  llvm::RestorePrettyStackState(stackTrace);
  if (isOutOfMemory) {
    return llvm::createStringError(std::make_error_code(std::errc::not_enough_memory), what + " ran out of memory");
  }
  return llvm::createStringError(what + " failed: " + summarize(mine.message));
}

} // namespace tilewright::codegen
