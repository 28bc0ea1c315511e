#include "FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <csetjmp>
#include <mutex>
#include <string>

namespace tilewright::codegen {

namespace {
struct Recovery {
  std::jmp_buf place;
  std::string message;
};
} // namespace

static thread_local Recovery *recovery = nullptr;

/// Leaves LLVM's frames behind. They are compiled without exceptions and hold no
/// locks while code is generated; what they own is leaked.
static void leave(void *, const char *reason, bool) {
  if (recovery) {
    recovery->message = reason;
    std::longjmp(recovery->place, 1);
  }
}

llvm::Error runGuarded(llvm::function_ref<void()> step) {
  static std::once_flag installed;
  std::call_once(installed, [] { llvm::install_fatal_error_handler(leave); });
  Recovery mine;
  Recovery *const outer = recovery;
  const void *const stackTrace = llvm::SavePrettyStackState();
  if (setjmp(mine.place) == 0) {
    recovery = &mine;
    step();
    recovery = outer;
    return llvm::Error::success();
  }
  recovery = outer;
  llvm::RestorePrettyStackState(stackTrace);
  return llvm::createStringError("the code generator failed: " + mine.message.substr(0, mine.message.find('\n')));
}

} // namespace tilewright::codegen
