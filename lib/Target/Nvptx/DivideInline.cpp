#include "DivideInline.h"

#include "KeepLoops.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Transforms/Utils/BypassSlowDivision.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"

using namespace llvm;

namespace tilewright::nvptx {

/// A constant divisor becomes a multiplication.
static bool isWideDivision(const Instruction &instruction) {
  return instruction.isIntDivRem() && instruction.getType()->isIntegerTy(64) &&
         !isa<ConstantInt>(instruction.getOperand(1));
}

static void bypassWideDivisions(Function &function) {
  const DenseMap<unsigned, unsigned> widths = {{64, 32}};
  for (BasicBlock *block = &function.front(), *next = nullptr; block; block = next) {
    next = block->getNextNode(); // before the blocks that are made for this one
    bypassSlowDivision(block, widths);
  }
}

static void expand(BinaryOperator *division) {
  bool isRemainder = division->getOpcode() == Instruction::SRem || division->getOpcode() == Instruction::URem;
  isRemainder ? expandRemainderUpTo64Bits(division) : expandDivisionUpTo64Bits(division);
}

PreservedAnalyses DivideInline::run(Function &function, FunctionAnalysisManager &) {
  if (none_of(instructions(function), isWgmma) || none_of(instructions(function), isWideDivision)) {
    return PreservedAnalyses::all();
  }
  bypassWideDivisions(function);
  SmallVector<BinaryOperator *> left;
  for (Instruction &instruction : instructions(function)) {
    if (isWideDivision(instruction)) {
      left.push_back(cast<BinaryOperator>(&instruction));
    }
  }
  for_each(left, expand);
  return PreservedAnalyses::none();
}

} // namespace tilewright::nvptx
