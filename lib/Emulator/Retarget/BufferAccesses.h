// Buffer accesses of AMD's GPUs.
//
//     %b = llvm.amdgcn.make.buffer.rsrc(%x, 0, %size, ...)        if (%offset + 4 <= %size)
//     %v = llvm.amdgcn.raw.ptr.buffer.load(%b, %offset, 0, 0)        %v = load i32, ptr addrspace(1) %x + %offset
//                                                         ->      else
//                                                                   %v = 0

#ifndef TILEWRIGHT_LIB_EMULATOR_RETARGET_BUFFERACCESSES_H
#define TILEWRIGHT_LIB_EMULATOR_RETARGET_BUFFERACCESSES_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace tilewright::emulator {

/// Replaces buffer loads and stores by accesses to global memory if their offset is in range. Out of range, a load
/// gives zero, and a store does nothing.
///
/// Errors: a resource is made in a way that the emulator does not know, or has a stride.
llvm::Error replaceBufferAccesses(llvm::Function &code);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_RETARGET_BUFFERACCESSES_H
