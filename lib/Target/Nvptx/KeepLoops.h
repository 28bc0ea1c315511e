// Loops that the assembler must not unroll.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_KEEPLOOPS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_KEEPLOOPS_H

#include "llvm/IR/Function.h"

namespace tilewright::nvptx {

/// Whether the instruction multiplies matrices by a warp group.
bool isWgmma(const llvm::Instruction &instruction);

/// Forbids the assembler, by metadata, to unroll loops with wgmma that have no annotation: `while` loops. ptxas 13.0
/// takes what their iterations compute from accumulators for common subexpressions.
void keepLoopsWithWgmma(llvm::Function &function);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_KEEPLOOPS_H
