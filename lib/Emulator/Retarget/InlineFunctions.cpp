#include "InlineFunctions.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilewright::emulator {

static CallInst *findCall(Function &kernel) {
  for (Instruction &instruction : instructions(kernel)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration()) {
      return call;
    }
  }
  return nullptr;
}

static void eraseUncalled(Module &module, Function &kernel) {
  for (bool changed = true; std::exchange(changed, false);) {
    for (Function &function : make_early_inc_range(module)) {
      if (&function != &kernel && !function.isDeclaration() && function.use_empty()) {
        function.eraseFromParent();
        changed = true;
      }
    }
  }
}

Error inlineFunctions(Function &kernel) {
  while (CallInst *call = findCall(kernel)) {
    std::string name = call->getCalledFunction()->getName().str();
    InlineFunctionInfo info;
    if (call->getCalledFunction() == &kernel || !InlineFunction(*call, info).isSuccess()) {
      return createStringError("the emulator can't inline a call of '" + name + "'");
    }
  }
  eraseUncalled(*kernel.getParent(), kernel);
  return Error::success();
}

} // namespace tilewright::emulator
