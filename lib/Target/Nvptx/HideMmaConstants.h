// Hides constant operands of matrix instructions from NVIDIA's assembler, which miscompiles them.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_HIDEMMACONSTANTS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_HIDEMMACONSTANTS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::nvptx {

/// Computes constant operands of `mma.sync` such that the assembler does not know their values.
///
/// The assembler of CUDA 13.0 replaces an operand with two negative 16-bit floats by a negated register, but changes
/// the sign of only one of the two: {-1.0, -1.0} becomes `HMMA R4, R4, -R7` with R7 = 0x3c00bc00. All optimization
/// levels except -O0 do so. Zeros of 16 bits stay visible.
///
/// Four 8-bit floats become pairs of 16 bits on sm_90. Of a register that the assembler knows to be zero, it converts
/// the upper half of something else: `F2FP.F16.E4M3.UNPACK_B R14, 0x28`. It knows that also of a load whose predicate
/// is false.
void hideMmaConstants(llvm::Module &module);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_HIDEMMACONSTANTS_H
