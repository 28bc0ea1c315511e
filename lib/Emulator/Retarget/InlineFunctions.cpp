#include "InlineFunctions.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilewright::emulator {

/// The calls of functions that the module defines.
static SmallVector<CallInst *> findCalls(Function &function) {
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration()) {
      calls.push_back(call);
    }
  }
  return calls;
}

/// A function that calls itself, through others or not; null if none of those that `function` calls does.
static Function *findRecursion(Function &function, SmallVectorImpl<Function *> &callers,
                               SmallPtrSetImpl<Function *> &known) {
  if (is_contained(callers, &function)) {
    return &function;
  }
  if (!known.insert(&function).second) {
    return nullptr;
  }
  callers.push_back(&function);
  for (CallInst *call : findCalls(function)) {
    if (Function *found = findRecursion(*call->getCalledFunction(), callers, known)) {
      return found;
    }
  }
  callers.pop_back();
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
  SmallVector<Function *> callers;
  SmallPtrSet<Function *, 8> known;
  if (Function *recursive = findRecursion(kernel, callers, known)) {
    return createStringError("the emulator does not support recursive functions, such as '" + recursive->getName() +
                             "'");
  }
  for (SmallVector<CallInst *> calls = findCalls(kernel); !calls.empty(); calls = findCalls(kernel)) {
    for (CallInst *call : calls) {
      InlineFunctionInfo info;
      InlineResult result = InlineFunction(*call, info);
      if (!result.isSuccess()) {
        return createStringError("the emulator can't inline a call of '" + call->getCalledFunction()->getName() +
                                 "': " + result.getFailureReason());
      }
    }
  }
  eraseUncalled(*kernel.getParent(), kernel);
  return Error::success();
}

} // namespace tilewright::emulator
