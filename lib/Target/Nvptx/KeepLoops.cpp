#include "KeepLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilewright::nvptx {

bool isWgmma(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return assembly && assembly->getAsmString().contains("wgmma.mma_async");
}

static bool hasWgmma(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) { return any_of(*block, isWgmma); });
}

void keepLoopsWithWgmma(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->getLoopID() && hasWgmma(*loop)) {
      loop->setLoopAlreadyUnrolled();
    }
  }
}

} // namespace tilewright::nvptx
