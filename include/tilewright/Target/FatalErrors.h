// LLVM exits the process if it cannot translate code. A compiler that runs inside an application must not do that.

#ifndef TILEWRIGHT_TARGET_FATALERRORS_H
#define TILEWRIGHT_TARGET_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tilewright::codegen {

/// Makes LLVM throw std::bad_alloc in this process if memory runs out, and runGuarded() handle its fatal errors.
void installErrorHandlers();

/// Runs `step`, and returns a fatal error of LLVM in this thread, or running out of memory, as an Error. After an
/// error, the objects that `step` operates on are in an undefined state, and must neither be used nor destroyed. `what`
/// names the step in the error.
llvm::Error runGuarded(llvm::function_ref<void()> step, llvm::StringRef what = "the code generator");

} // namespace tilewright::codegen

#endif // TILEWRIGHT_TARGET_FATALERRORS_H
