#include "LoopEntries.h"

#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace tilewright::codegen {

static bool isConvergent(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->isConvergent();
}

static bool hasConvergentCall(const BasicBlock *block) { return any_of(*block, isConvergent); }

namespace {

/// Puts a call without an effect into headers: a convergent one, so that no pass duplicates them.
struct MarkHeaders : PassInfoMixin<MarkHeaders> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
      BasicBlock *header = loop->getHeader();
      if (any_of(loop->blocks(), hasConvergentCall) && !hasConvergentCall(header)) {
        IRBuilder<> builder(header, header->getFirstInsertionPt());
        builder.CreateIntrinsic(Intrinsic::sideeffect, {})->setConvergent();
      }
    }
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    return preserved;
  }
  static bool isRequired() { return true; }
};

/// Removes these calls, and all others without an effect.
struct RemoveMarks : PassInfoMixin<RemoveMarks> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (call && call->getIntrinsicID() == Intrinsic::sideeffect) {
        call->eraseFromParent();
      }
    }
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    return preserved;
  }
  static bool isRequired() { return true; }
};

} // namespace

void keepLoopEntries(PassBuilder &builder) {
  // Before this point, SimplifyCFG preserves loops, and loops have been rotated, which a marked one would not be.
  builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager &functions, OptimizationLevel) { functions.addPass(MarkHeaders()); });
  builder.registerOptimizerLastEPCallback([](ModulePassManager &modules, OptimizationLevel, ThinOrFullLTOPhase) {
    modules.addPass(createModuleToFunctionPassAdaptor(RemoveMarks()));
  });
}

static bool hasEntries(const Cycle *cycle) {
  bool hasOwn = !cycle->isReducible() && any_of(cycle->blocks(), hasConvergentCall);
  return hasOwn || any_of(cycle->children(), hasEntries);
}

Error checkLoopEntries(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration() || none_of(instructions(function), isConvergent)) {
      continue;
    }
    CycleInfo cycles;
    cycles.compute(function);
    if (any_of(cycles.toplevel_cycles(), hasEntries)) {
      return createStringError("a loop of '" + function.getName() +
                               "' has two entries, so that its threads would not converge at barriers");
    }
  }
  return Error::success();
}

} // namespace tilewright::codegen
