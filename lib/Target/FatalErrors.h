// LLVM ends the process where it meets code that it cannot translate. A compiler
// inside of somebody's program must not.

#ifndef TILEWRIGHT_LIB_TARGET_FATALERRORS_H
#define TILEWRIGHT_LIB_TARGET_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tilewright::codegen {

/// Runs `step`, and turns a fatal error of LLVM's in this thread into an
/// ordinary one. What `step` was working on is in an undefined state then: it
/// must be neither used nor destroyed.
llvm::Error runGuarded(llvm::function_ref<void()> step);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_TARGET_FATALERRORS_H
