// Keeps LLVM's optimizer from giving loops with barriers a second entry.

#ifndef TILEWRIGHT_LIB_TARGET_LOOPENTRIES_H
#define TILEWRIGHT_LIB_TARGET_LOOPENTRIES_H

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class PassBuilder;
} // namespace llvm

namespace tilewright::codegen {

/// Adds passes that preserve the single entry of each loop in which threads converge.
///
/// Where threads branch before a loop on the condition of a branch in its header, SimplifyCFG lets some of them enter
/// the loop behind the header:
///
///     if (first) fence();                      if (first) { fence(); goto header; }
///     do {                                     goto middle;
///       value = ...;                  ->       do { header:
///       if (first) shared = value;               shared = ...;
///       barrier();                             middle:
///     } while (shared == 1);                     barrier();
///                                              } while (shared == 1);
///
/// This is right in LLVM's IR, but the threads of a warp do not come together again before the barrier: the assembler
/// finds no place for that in a loop with two entries, and a warp that is counted twice lets the others through.
void keepLoopEntries(llvm::PassBuilder &builder);

/// An error that names the function if a loop in which threads converge has two entries.
llvm::Error checkLoopEntries(llvm::Module &module);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_TARGET_LOOPENTRIES_H
