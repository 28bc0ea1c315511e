#include "WidenBfloats.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilewright::codegen {

static void widenByShift(FPExtInst &widening) {
  IRBuilder<> b(&widening);
  Value *narrow = widening.getOperand(0);
  Type *single = widening.getType()->getWithNewType(b.getFloatTy());
  Type *half = single->getWithNewType(b.getInt16Ty()), *word = single->getWithNewType(b.getInt32Ty());
  Value *bits = b.CreateZExt(b.CreateBitCast(narrow, half), word);
  Value *value = b.CreateBitCast(b.CreateShl(bits, ConstantInt::get(word, 16)), single);
  widening.replaceAllUsesWith(value->getType() == widening.getType() ? value
                                                                     : b.CreateFPExt(value, widening.getType()));
  widening.eraseFromParent();
}

static void widenByShift(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *widening = dyn_cast<FPExtInst>(&instruction);
    if (widening && widening->getSrcTy()->getScalarType()->isBFloatTy()) {
      widenByShift(*widening);
    }
  }
}

static bool narrowsToHalf(Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    return isa<FPTruncInst>(instruction) && instruction.getType()->getScalarType()->isHalfTy();
  });
}

void widenBfloatsByShift(Module &module) {
  for (Function &function : module) {
    widenByShift(function);
  }
}

void widenBfloatsBesideHalves(Module &module) {
  for (Function &function : module) {
    if (narrowsToHalf(function)) {
      widenByShift(function);
    }
  }
}

} // namespace tilewright::codegen
