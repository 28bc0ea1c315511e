// Hides constant operands of matrix instructions from NVIDIA's assembler, which miscompiles them.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_HIDEMMACONSTANTS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_HIDEMMACONSTANTS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::nvptx {

/// Computes constant operands of `mma.sync`, other than zeros, such that the assembler does not know their values.
///
/// The assembler of CUDA 13.0 replaces an operand with two negative 16-bit floats by a negated register, but changes
/// the sign of only one of the two: {-1.0, -1.0} becomes `HMMA R4, R4, -R7` with R7 = 0x3c00bc00. All optimization
/// levels except -O0 do so.
void hideMmaConstants(llvm::Module &module);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_HIDEMMACONSTANTS_H
