#include "SplitPackedIntegers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilewright::nvptx {

static bool isPacked(const Instruction &instruction) {
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  if (!type || !type->getElementType()->isIntegerTy() || type->getScalarSizeInBits() > 16) {
    return false;
  }
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
    return isTriviallyVectorizable(intrinsic->getIntrinsicID());
  }
  unsigned opcode = instruction.getOpcode();
  return opcode == Instruction::Add || opcode == Instruction::Sub || opcode == Instruction::Mul;
}

/// Element `lane` of a vector operand. Scalar operands, such as flags of intrinsics, are the same for all elements.
static Value *elementOf(IRBuilder<> &builder, Value *operand, unsigned lane) {
  return operand->getType()->isVectorTy() ? builder.CreateExtractElement(operand, lane) : operand;
}

static void split(Instruction &instruction) {
  auto *type = cast<FixedVectorType>(instruction.getType());
  IRBuilder<> builder(&instruction);
  Value *result = PoisonValue::get(type);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    SmallVector<Value *, 2> operands;
    auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
    for (Value *operand : intrinsic ? intrinsic->args() : instruction.operands()) {
      operands.push_back(elementOf(builder, operand, lane));
    }
    Value *element = intrinsic
                         ? builder.CreateIntrinsic(intrinsic->getIntrinsicID(), {type->getElementType()}, operands)
                         : builder.CreateBinOp(static_cast<Instruction::BinaryOps>(instruction.getOpcode()),
                                               operands[0], operands[1]);
    if (auto *made = dyn_cast<Instruction>(element); made && !intrinsic) {
      made->copyIRFlags(&instruction);
    }
    result = builder.CreateInsertElement(result, element, lane);
  }
  instruction.replaceAllUsesWith(result);
  instruction.eraseFromParent();
}

PreservedAnalyses SplitPackedIntegers::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<Instruction *> packed;
  for (Instruction &instruction : instructions(function)) {
    if (isPacked(instruction)) {
      packed.push_back(&instruction);
    }
  }
  for (Instruction *instruction : packed) {
    split(*instruction);
  }
  return packed.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace tilewright::nvptx
