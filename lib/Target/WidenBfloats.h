// What LLVM 22 gets wrong for every target, rewritten so that it does not see it.

#ifndef TILEWRIGHT_LIB_TARGET_WIDENBFLOATS_H
#define TILEWRIGHT_LIB_TARGET_WIDENBFLOATS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::codegen {

/// Before optimisation: bfloat16 is widened by a shift.
///
/// InstCombine computes `fptrunc (fadd (fpext bfloat a), (fpext bfloat b)) to half` in half, though half holds only a
/// part of bfloat's range, and takes the bits of a `frem` of bfloat for those of a half.
void widenBfloatsByShift(llvm::Module &module);

/// The same where that can happen. Elsewhere it is LLVM who finds what a target can do with bfloat16 itself.
void widenBfloatsBesideHalves(llvm::Module &module);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_TARGET_WIDENBFLOATS_H
