#include "ExtendBfloatPairs.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tilewright::nvptx {

/// Whether words hold the elements, as after a load of several or arithmetic with pairs. Elements that were loaded,
/// inserted or selected one by one would have to be packed first.
static bool areInWords(const Value *vector) {
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(vector)) {
    return areInWords(shuffle->getOperand(0)) && areInWords(shuffle->getOperand(1));
  }
  bool isWhole = cast<FixedVectorType>(vector->getType())->getNumElements() % 2 == 0;
  return isa<PoisonValue>(vector) || (isWhole && !isa<InsertElementInst, SelectInst>(vector));
}

static bool extendsPairs(const FPExtInst &extension) {
  auto *type = dyn_cast<FixedVectorType>(extension.getSrcTy());
  return type && type->getElementType()->isBFloatTy() && type->getNumElements() % 2 == 0 &&
         extension.getType()->getScalarType()->isFloatTy() && areInWords(extension.getOperand(0));
}

/// The first element of a pair is in the lower half of the word.
static void extendWords(FPExtInst &extension) {
  IRBuilder<> b(&extension);
  unsigned count = cast<FixedVectorType>(extension.getType())->getNumElements();
  Type *words = FixedVectorType::get(b.getInt32Ty(), count / 2);
  Type *floats = FixedVectorType::get(b.getFloatTy(), count / 2);
  Value *pairs = b.CreateBitCast(extension.getOperand(0), words);
  Value *first = b.CreateBitCast(b.CreateShl(pairs, ConstantInt::get(words, 16)), floats);
  Value *second = b.CreateBitCast(b.CreateAnd(pairs, ConstantInt::get(words, 0xffff0000)), floats);
  SmallVector<int> interleaved;
  for (unsigned pair = 0; pair < count / 2; ++pair) {
    interleaved.append({static_cast<int>(pair), static_cast<int>(count / 2 + pair)});
  }
  extension.replaceAllUsesWith(b.CreateShuffleVector(first, second, interleaved));
  extension.eraseFromParent();
}

PreservedAnalyses ExtendBfloatPairs::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<FPExtInst *> extensions;
  for (Instruction &instruction : instructions(function)) {
    auto *extension = dyn_cast<FPExtInst>(&instruction);
    if (extension && extendsPairs(*extension)) {
      extensions.push_back(extension);
    }
  }
  for (FPExtInst *extension : extensions) {
    extendWords(*extension);
  }
  return extensions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace tilewright::nvptx
