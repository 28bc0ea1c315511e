// Rewrites code that LLVM 22 miscompiles, does not compile, or compiles badly for a processor.

#ifndef TILEWRIGHT_LIB_TARGET_HOST_HOSTWORKAROUNDS_H
#define TILEWRIGHT_LIB_TARGET_HOST_HOSTWORKAROUNDS_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilewright::host {

/// Whether an AArch64 processor has predicated loads and stores.
bool hasSve(const llvm::TargetMachine &machine);

/// Splits masked loads and stores of several vector registers into one access per register. Only needed on processors
/// with AVX2 and without AVX-512, whose masks are in vector registers. Must run before the optimizer.
///
/// The code generator splits such accesses incorrectly: it takes constant lanes of the mask to be true that are false.
void splitMaskedAccesses(llvm::Module &module, llvm::TargetMachine &machine);

/// Gives masked loads and stores 128 bits on processors with SVE: splits longer ones, and adds lanes that are off to
/// shorter ones. Must run after the optimizer, which would combine the comparisons of the parts' masks.
///
/// The code generator has instructions only for masked vectors of 128 bits, and branches on each lane of others.
void predicateAccesses(llvm::Module &module, llvm::TargetMachine &machine);

/// Replaces masked loads and stores of one vector register by the instructions' own intrinsics, on the processors with
/// AVX2 and without AVX-512. Must run after the optimizer, which would undo it.
///
/// The code generator reads a register's part of a mask that is known to be false as true, and loads without a mask: it
/// keeps only the sign bit of a lane, so that false may become the constant 1, and then takes what is not 0 for true.
void nameMaskedMoves(llvm::Module &module, llvm::TargetMachine &machine);

/// Replaces masked loads and stores of bfloat16 by accesses of 16-bit integers. Must run after the optimizer.
///
/// Where a register's part of a constant mask selects one lane, the code generator creates a scalar access of the
/// element's type, after it has legalized types. On processors with AVX-512 BF16 it then cannot select the access of a
/// bfloat16. With SVE it cannot select a masked load of bfloat16.
void accessBfloatsAsIntegers(llvm::Module &module);

/// Moves single bfloat16 values as 16-bit integers: through memory, vectors, selections and basic blocks. Shuffles
/// vectors of them as integers. Must run after the optimizer.
///
/// The code generator promotes single values to float, and converts them back with an instruction of AVX512-BF16 that
/// flushes denormal numbers, or by a call. On processors with AVX512-BF16 it cannot select a permutation of the halves
/// of a 256-bit vector of bfloat16.
void moveBfloatsAsIntegers(llvm::Module &module);

/// Replaces a masked store whose constant mask selects one lane by a store of that lane. Must run after the optimizer.
///
/// The x86 code generator does the same, but stores the wide element if the vector is the result of a truncation.
void storeSingleLanes(llvm::Module &module);

/// Hides from the code generator which operands of a scalar `minimumnum` or `maximumnum` are known not to be NaN. Must
/// run after the optimizer.
///
/// On processors with AVX512-DQ, `minimumnum` and `maximumnum` return NaN if one operand is NaN and the other is known
/// to be none, because it is a converted integer, for example.
void hideOperandsOfExtrema(llvm::Module &module);

/// Extracts elements of a vector, instead of shifting and masking all of it as an integer. Must run after the
/// optimizer, which does that (VectorCombine).
///
/// Where several blocks use the elements, the x86 code generator drops the mask: an element has the bits of the next
/// one, too, such as an index of 64 bits that was extended from a vector of two 32-bit integers.
void extractElements(llvm::Module &module);

/// Makes non-temporal loads plain ones, which they are on x86 for cached memory. Must run after the optimizer.
///
/// The x86 code generator has undefined behavior, and may crash the process, where it could fold a non-temporal load of
/// one or two bytes into another instruction.
void loadTemporally(llvm::Module &module);

/// Splits long basic blocks. Must run after the optimizer, which would join them, and before the workarounds for values
/// that cross blocks.
///
/// The time of the code generator grows with a power of a block's length. The cumulative sums of a tile of 4,096
/// elements in one emulated warp, a block of 8,000 instructions, took 5 s, and those of 8,192 elements more than 8
/// minutes: whenever a selection is not placed next to the comparison that it shares with others, the scheduler
/// searches the block for cycles. In parts they take 0.4 and 0.9 s.
void splitLongBlocks(llvm::Module &module);

/// Disables LLVM's pass X86AvoidStoreForwardingBlocks for this process.
///
/// The pass crashes the process if a masked load is next to a plain one.
void disableStoreForwardingPass();

/// Limits the time of instruction scheduling for this process: it grows with the square of the accesses in a block.
void limitSchedulingRegions();

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOST_HOSTWORKAROUNDS_H
