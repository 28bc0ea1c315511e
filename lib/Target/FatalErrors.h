// LLVM exits the process if it cannot translate code. A compiler that runs inside an application must not do that.

#ifndef TILEWRIGHT_LIB_TARGET_FATALERRORS_H
#define TILEWRIGHT_LIB_TARGET_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tilewright::codegen {

/// Runs `step`, and returns a fatal error of LLVM in this thread as an Error. After an error, the objects that `step`
/// operates on are in an undefined state, and must neither be used nor destroyed.
llvm::Error runGuarded(llvm::function_ref<void()> step);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_TARGET_FATALERRORS_H
