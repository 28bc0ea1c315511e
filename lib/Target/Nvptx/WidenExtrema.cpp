#include "WidenExtrema.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilewright::nvptx {

static bool isNarrow(const Instruction &instruction) {
  return isa<MinMaxIntrinsic>(instruction) && instruction.getType()->isIntegerTy() &&
         instruction.getType()->getScalarSizeInBits() < 32;
}

static void widen(MinMaxIntrinsic *extremum) {
  IRBuilder<> builder(extremum);
  auto extend = [&](Value *value) {
    return extremum->isSigned() ? builder.CreateSExt(value, builder.getInt32Ty())
                                : builder.CreateZExt(value, builder.getInt32Ty());
  };
  Value *wide =
      builder.CreateBinaryIntrinsic(extremum->getIntrinsicID(), extend(extremum->getLHS()), extend(extremum->getRHS()));
  extremum->replaceAllUsesWith(builder.CreateTrunc(wide, extremum->getType()));
  extremum->eraseFromParent();
}

PreservedAnalyses WidenExtrema::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<MinMaxIntrinsic *> narrow;
  for (Instruction &instruction : instructions(function)) {
    if (isNarrow(instruction)) {
      narrow.push_back(cast<MinMaxIntrinsic>(&instruction));
    }
  }
  for_each(narrow, widen);
  return narrow.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace tilewright::nvptx
