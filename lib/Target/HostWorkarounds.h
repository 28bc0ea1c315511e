// What LLVM 22 gets wrong for x86, rewritten so that it does not see it.

#ifndef TILEWRIGHT_LIB_TARGET_HOSTWORKAROUNDS_H
#define TILEWRIGHT_LIB_TARGET_HOSTWORKAROUNDS_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilewright::host {

/// Before optimisation, on processors that access memory under masks in vector registers (AVX2): a masked load or store
/// of several registers becomes one for each.
///
/// Splitting them, the code generator takes the constant part of a mask for true where it is false.
void splitMaskedAccesses(llvm::Module &module, llvm::TargetMachine &machine);

/// After optimisation: a masked store whose constant mask holds for one lane becomes a store of that lane.
///
/// The code generator for x86 does the same, but of a vector that is a truncation it stores the wide element.
void storeSingleLanes(llvm::Module &module);

/// Once in a process: the pass that keeps loads from waiting for stores of other widths is left out.
///
/// X86AvoidStoreForwardingBlocks ends the process where a masked load stands beside a plain one.
void disableStoreForwardingPass();

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOSTWORKAROUNDS_H
