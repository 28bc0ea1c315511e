// What LLVM 22 gets wrong, rewritten so that it does not see it.

#ifndef TILEWRIGHT_LIB_TARGET_HOSTWORKAROUNDS_H
#define TILEWRIGHT_LIB_TARGET_HOSTWORKAROUNDS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::host {

/// Before optimisation: bfloat16 is widened by a shift.
///
/// InstCombine computes `fptrunc (fadd (fpext bfloat a), (fpext bfloat b)) to half` in half, though half holds only a
/// part of bfloat's range, and takes the bits of a `frem` of bfloat for those of a half.
void widenBfloatsByShift(llvm::Module &module);

/// After optimisation: a masked store whose constant mask holds for one lane becomes a store of that lane.
///
/// The code generator for x86 does the same, but of a vector that is a truncation it stores the wide element.
void storeSingleLanes(llvm::Module &module);

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOSTWORKAROUNDS_H
