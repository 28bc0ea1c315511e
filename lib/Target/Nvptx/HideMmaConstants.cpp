#include "HideMmaConstants.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tilewright::nvptx {

static bool isMma(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.mma.");
}

static bool hasFloatsOf8Bits(const CallInst &mma) {
  StringRef name = mma.getCalledFunction()->getName();
  return name.contains(".e4m3") || name.contains(".e5m2");
}

/// A load by assembly whose predicate is false.
static bool isNeverMade(const CallInst &load) {
  return load.isInlineAsm() && any_of(load.args(), [](const Use &use) {
           return use->getType()->isIntegerTy(1) && match(use.get(), PatternMatch::m_ZeroInt());
         });
}

/// Whether the assembler may know a word of the value: it comes from a constant, or from a load that is never made.
static bool mayBeKnown(const Value *value, SmallPtrSetImpl<const Value *> &seen) {
  if (isa<Constant>(value)) {
    return !isa<UndefValue>(value);
  }
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !seen.insert(value).second) {
    return false;
  }
  auto isKnown = [&](const Use &use) { return mayBeKnown(use, seen); };
  if (isa<ShuffleVectorInst, InsertValueInst>(value)) {
    return any_of(instruction->operands(), isKnown);
  }
  if (isa<InsertElementInst>(value)) {
    return any_of(drop_end(instruction->operands()), isKnown);
  }
  if (isa<CastInst, ExtractValueInst, ExtractElementInst>(value)) {
    return isKnown(instruction->getOperandUse(0));
  }
  if (const auto *call = dyn_cast<CallInst>(value)) {
    bool isPure = isa<IntrinsicInst>(call) && !call->mayReadOrWriteMemory();
    return isNeverMade(*call) || (isPure && all_of(call->args(), isKnown));
  }
  return isa<BinaryOperator, SelectInst, PHINode>(value) && all_of(instruction->operands(), isKnown);
}

/// Whether the operand is a register with two floats of 16 bits whose values the assembler would see.
static bool isConstantPair(const Value *operand) {
  auto *type = dyn_cast<FixedVectorType>(operand->getType());
  bool isPair = type && type->getNumElements() == 2 && type->getElementType()->is16bitFPTy();
  bool isWord = operand->getType()->isIntegerTy(32);
  auto *constant = dyn_cast<Constant>(operand);
  return (isPair || isWord) && constant && !constant->isNullValue() && !isa<UndefValue>(constant);
}

/// The value, but its complement where the number of the multiprocessor is the largest integer.
static Value *hide(IRBuilder<> &b, Value *value) {
  Type *word = b.getInt32Ty();
  auto *type = FunctionType::get(word, {word}, /*isVarArg=*/false);
  auto *assembly = InlineAsm::get(type,
                                  "{\n\t.reg .pred p;\n\t.reg .b32 t;\n\tmov.u32 t, %smid;\n\t"
                                  "setp.eq.u32 p, t, 0xffffffff;\n\tnot.b32 t, $1;\n\tselp.b32 $0, t, $1, p;\n\t}",
                                  "=&r,r", /*hasSideEffects=*/false);
  Value *hidden = b.CreateCall(type, assembly, {b.CreateBitCast(value, word)});
  return b.CreateBitCast(hidden, value->getType());
}

void hideMmaConstants(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      if (!call || !isMma(*call)) {
        continue;
      }
      IRBuilder<> b(call);
      bool isOf8Bits = hasFloatsOf8Bits(*call);
      for (Use &operand : call->args()) {
        SmallPtrSet<const Value *, 16> seen;
        bool isKnownWord = isOf8Bits && operand->getType()->isIntegerTy(32) && mayBeKnown(operand, seen);
        if (isKnownWord || isConstantPair(operand)) {
          operand.set(hide(b, operand));
        }
      }
    }
  }
}

} // namespace tilewright::nvptx
