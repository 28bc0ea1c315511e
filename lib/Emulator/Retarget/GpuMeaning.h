// Instructions of LLVM that leave open what a GPU does in a definite way.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_GPUMEANING_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_GPUMEANING_H

namespace llvm {
class Function;
}

namespace tilewright::emulator {

/// Conversions of floats out of an integer's range, divisions of integers that have no result, and the
/// order of zeros in minima and maxima become those of PTX.
void keepGpuMeaning(llvm::Function &code);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_GPUMEANING_H
