// Conversions from and to bfloat16 that LLVM 22 or a processor gets wrong, rewritten so that LLVM does not see them.

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

/// Before the other two, on a host: no processor adds, multiplies or divides all of bfloat16 itself.
void computeBfloatsInSingle(llvm::Module &module);

/// Before optimization, on a host: floats and doubles are rounded to bfloat16 in integer arithmetic.
///
/// AVX512-BF16's instruction makes zeros of denormal numbers; on other processors LLVM calls a function per element.
void narrowToBfloatsByBits(llvm::Module &module);

/// As widenBfloatsByShift, where that can happen; elsewhere LLVM finds what a target can do with bfloat16 itself.
void widenBfloatsBesideHalves(llvm::Module &module);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_TARGET_WIDENBFLOATS_H
