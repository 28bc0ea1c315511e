#include "HideMmaConstants.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilewright::nvptx {

static bool isMma(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.mma.");
}

/// Whether the operand is a register with two floats of 16 bits whose values the assembler would see.
static bool isConstantPair(const Value *operand) {
  auto *type = dyn_cast<FixedVectorType>(operand->getType());
  bool isPair = type && type->getNumElements() == 2 && type->getElementType()->is16bitFPTy();
  bool isWord = operand->getType()->isIntegerTy(32);
  auto *constant = dyn_cast<Constant>(operand);
  return (isPair || isWord) && constant && !constant->isNullValue() && !isa<UndefValue>(constant);
}

/// The constant, but where the number of the multiprocessor is the largest integer.
static Value *hide(IRBuilder<> &b, Value *constant) {
  Type *word = b.getInt32Ty();
  auto *type = FunctionType::get(word, {word}, /*isVarArg=*/false);
  auto *assembly = InlineAsm::get(type,
                                  "{\n\t.reg .pred p;\n\t.reg .b32 t;\n\tmov.u32 t, %smid;\n\t"
                                  "setp.eq.u32 p, t, 0xffffffff;\n\tselp.b32 $0, 0, $1, p;\n\t}",
                                  "=r,r", /*hasSideEffects=*/false);
  Value *hidden = b.CreateCall(type, assembly, {b.CreateBitCast(constant, word)});
  return b.CreateBitCast(hidden, constant->getType());
}

void hideMmaConstants(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      if (!call || !isMma(*call)) {
        continue;
      }
      IRBuilder<> b(call);
      for (Use &operand : call->args()) {
        if (isConstantPair(operand)) {
          operand.set(hide(b, operand));
        }
      }
    }
  }
}

} // namespace tilewright::nvptx
