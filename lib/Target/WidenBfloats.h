// Rewrites conversions from and to bfloat16 that LLVM 22 miscompiles or a processor does not support fully.

#ifndef TILEWRIGHT_LIB_TARGET_WIDENBFLOATS_H
#define TILEWRIGHT_LIB_TARGET_WIDENBFLOATS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::codegen {

/// Replaces extensions of bfloat16 by shifts. Must run before the optimizer.
///
/// InstCombine computes `fptrunc (fadd (fpext bfloat a), (fpext bfloat b)) to half` in half, although half has a
/// smaller range than bfloat, and interprets the bits of a `frem` of bfloat as those of a half.
void widenBfloatsByShift(llvm::Module &module);

/// For hosts: adds to bfloat16 in memory by compare-and-swap of its bits. Must run before the other functions.
///
/// LLVM's own loop compares a value that went through a float, which the AVX512-BF16 instruction flushes to zero if it
/// is denormal: the comparison then fails for ever.
void addToBfloatsByBits(llvm::Module &module);

/// For hosts: performs bfloat16 arithmetic and comparisons in float32, because no processor supports all operations on
/// bfloat16. Must run before the other functions, because it creates conversions. Fused multiply-adds of half and
/// bfloat16 are computed in double, with a single rounding.
///
/// LLVM would carry operands of comparisons between blocks as floats, and round them back by the AVX512-BF16
/// instruction, which flushes denormal numbers.
void computeBfloatsInSingle(llvm::Module &module);

/// For hosts: rounds floats and doubles to bfloat16 in integer arithmetic. Must run before the optimizer.
///
/// The AVX512-BF16 instruction flushes denormal numbers to zero; on other processors LLVM calls a function per element.
void narrowToBfloatsByBits(llvm::Module &module);

/// The same as widenBfloatsByShift, but only in functions that InstCombine can miscompile, so that other functions can
/// use the target's instructions for bfloat16.
void widenBfloatsBesideHalves(llvm::Module &module);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_TARGET_WIDENBFLOATS_H
