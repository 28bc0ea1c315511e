// Gives LLVM instructions the GPU's results where LLVM leaves the result undefined.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_GPUSEMANTICS_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_GPUSEMANTICS_H

namespace llvm {
class Function;
}

namespace tilewright::emulator {

/// Makes three kinds of operations behave as in PTX: conversions of floats that are out of the integer's range, integer
/// divisions whose result is undefined, and minima and maxima of zeros. Removes non-temporal hints, which are only
/// hints on GPUs but weaken the order of stores on x86.
void preserveGpuSemantics(llvm::Function &code, bool isOfAmd);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_GPUSEMANTICS_H
