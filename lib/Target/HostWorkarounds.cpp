#include "HostWorkarounds.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilewright::host {

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

void widenBfloatsByShift(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *widening = dyn_cast<FPExtInst>(&instruction);
      if (widening && widening->getSrcTy()->getScalarType()->isBFloatTy()) {
        widenByShift(*widening);
      }
    }
  }
}

/// The only lane for which a constant mask holds.
static std::optional<unsigned> findSingleLane(const Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type) {
    return std::nullopt;
  }
  std::optional<unsigned> single;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Constant *element = constant->getAggregateElement(lane);
    if (element && element->isZeroValue()) {
      continue;
    }
    if (single || !element || !element->isOneValue()) {
      return std::nullopt;
    }
    single = lane;
  }
  return single;
}

static void storeSingleLane(IntrinsicInst &store) {
  std::optional<unsigned> lane = findSingleLane(store.getArgOperand(2));
  if (!lane) {
    return;
  }
  IRBuilder<> b(&store);
  Value *element = b.CreateExtractElement(store.getArgOperand(0), *lane);
  Value *address = b.CreateConstGEP1_64(element->getType(), store.getArgOperand(1), *lane);
  // No more aligned than an element: the lane may be any.
  b.CreateAlignedStore(element, address, Align(element->getType()->getScalarSizeInBits() / 8));
  store.eraseFromParent();
}

void storeSingleLanes(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (call && call->getIntrinsicID() == Intrinsic::masked_store) {
        storeSingleLane(*call);
      }
    }
  }
}

} // namespace tilewright::host
