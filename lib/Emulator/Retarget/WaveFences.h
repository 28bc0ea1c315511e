// Barriers and fences of AMD's GPUs.
//
//     fence syncscope("workgroup") release
//     call void @llvm.amdgcn.s.barrier()              s_barrier(1, 1): it releases and acquires
//     fence syncscope("workgroup") acquire
//
//     call void @llvm.amdgcn.s.barrier()              s_barrier(0, 0): it orders nothing
//
// The code generator makes waits for memory out of the fences; the barrier only waits for threads.

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_WAVEFENCES_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_WAVEFENCES_H

#include "CodeOrder.h"
#include "EmulatedCalls.h"

namespace tilewright::emulator {

/// Replaces each barrier by a call that knows the fences around it, and the other fences by calls where the kernel is
/// `checked` or lanes must wait for each other.
void replaceFences(llvm::Function &code, EmulatedCalls &calls, const CodeOrder &order, bool checked);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_WAVEFENCES_H
