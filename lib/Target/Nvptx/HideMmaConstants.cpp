#include "HideMmaConstants.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

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

namespace {
/// Finds values of which the assembler may know a part: it comes from a constant, or from a load that is never made.
class KnownValues {
public:
  bool contains(const Value *value) {
    if (isa<Constant>(value)) {
      return !isa<UndefValue>(value);
    }
    const auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction) {
      return false;
    }
    auto [found, isNew] = known.try_emplace(instruction, true); // what a loop carries to itself
    if (!isNew) {
      return found->second;
    }
    bool isKnown = mayBeKnown(*instruction);
    return known[instruction] = isKnown;
  }

private:
  bool mayBeKnown(const Instruction &instruction) {
    auto isKnown = [&](const Use &use) { return contains(use); };
    if (isa<ShuffleVectorInst, InsertValueInst>(instruction)) {
      return any_of(instruction.operands(), isKnown);
    }
    if (isa<InsertElementInst>(instruction)) {
      return any_of(drop_end(instruction.operands()), isKnown);
    }
    if (isa<CastInst, ExtractValueInst, ExtractElementInst>(instruction)) {
      return contains(instruction.getOperand(0));
    }
    if (const auto *call = dyn_cast<CallInst>(&instruction)) {
      bool isPure = isa<IntrinsicInst>(call) && !call->mayReadOrWriteMemory() && !call->arg_empty();
      return isNeverMade(*call) || (isPure && all_of(call->args(), isKnown));
    }
    if (isa<BinaryOperator>(instruction)) {
      bool joins = instruction.getOpcode() == Instruction::Or;
      return contains(instruction.getOperand(0)) || (joins && contains(instruction.getOperand(1)));
    }
    return isa<PHINode>(instruction) && all_of(instruction.operands(), isKnown);
  }

  DenseMap<const Instruction *, bool> known;
};
} // namespace

/// Whether the upper half of the word is zero, as those of bytes that are extended are.
static bool hasUpperZeros(const Value *word, const DataLayout &layout) {
  return computeKnownBits(word, layout).countMinLeadingZeros() >= 16;
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
  KnownValues known;
  for (Function &function : module) {
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      if (!call || !isMma(*call)) {
        continue;
      }
      IRBuilder<> b(call);
      bool isOf8Bits = hasFloatsOf8Bits(*call);
      for (Use &operand : call->args()) {
        bool isKnownWord = isOf8Bits && operand->getType()->isIntegerTy(32) &&
                           (known.contains(operand) || hasUpperZeros(operand, module.getDataLayout()));
        if (isKnownWord || isConstantPair(operand)) {
          operand.set(hide(b, operand));
        }
      }
    }
  }
}

} // namespace tilewright::nvptx
