// Makes one function of a kernel and the functions that it calls.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_INLINEFUNCTIONS_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_INLINEFUNCTIONS_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace tilewright::emulator {

/// Inlines all calls of functions that the module defines, and removes these functions. Instructions keep their
/// locations.
///
/// Errors: a function calls itself.
llvm::Error inlineFunctions(llvm::Function &kernel);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_INLINEFUNCTIONS_H
