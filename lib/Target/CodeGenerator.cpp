#include "CodeGenerator.h"

#include "DiagnosticCapture.h"
#include "tilewright/Target/FatalErrors.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tilewright::codegen {

template <typename T> static void setOption(StringRef name, T value) {
  auto &options = cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found != options.end()) {
    // lld resets all options to their defaults before it links.
    static_cast<cl::opt<T> *>(found->second)->setInitialValue(value);
  }
}

void setFlag(StringRef name, bool value) { setOption(name, value); }
void setNumber(StringRef name, unsigned value) { setOption(name, value); }

Expected<const Target *> lookupBackend(const Triple &triple) {
  std::string error;
  const Target *backend = TargetRegistry::lookupTarget(triple, error);
  if (!backend) {
    return createStringError(error);
  }
  return backend;
}

Expected<std::unique_ptr<Module>> translate(mlir::ModuleOp source, LLVMContext &context, TargetMachine &machine) {
  // The optimizer would spend a quarter of its time on finding free names for new values.
  context.setDiscardValueNames(true);
  std::unique_ptr<Module> module = mlir::translateModuleToLLVMIR(source, context, "tilewright");
  if (!module) {
    return createStringError("the module could not be translated to LLVM IR");
  }
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  return module;
}

/// VectorCombine copies flags such as `exact` to an instruction that exists already when the one that it creates folds
/// to it: `lshr` becomes `lshr exact`, for all of its uses (LLVM's issue 149853).
static void skipVectorCombine(PassInstrumentationCallbacks &callbacks) {
  callbacks.registerShouldRunOptionalPassCallback([](StringRef pass, Any) { return pass != "VectorCombinePass"; });
}

void optimize(Module &module, TargetMachine &machine, OptimizationLevel level, const PipelineTuningOptions &tuning,
              function_ref<void(PassBuilder &)> extend) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassInstrumentationCallbacks callbacks;
  skipVectorCombine(callbacks);
  PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  if (extend) {
    extend(builder);
  }
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

Expected<SmallVector<char, 0>> emit(Module &module, TargetMachine &machine, CodeGenFileType type) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  // Must be leaked after a fatal error, like the module and the machine.
  auto *passes = new legacy::PassManager();
  if (machine.addPassesToEmitFile(*passes, stream, nullptr, type)) {
    delete passes;
    return createStringError("the code generator cannot write this kind of file");
  }
  DiagnosticCapture reported(module.getContext());
  if (Error fatal = runGuarded([&] { passes->run(module); })) {
    return fatal;
  }
  delete passes;
  if (!reported.first.empty()) {
    return createStringError("the code generator failed: " + reported.first);
  }
  return bytes;
}

} // namespace tilewright::codegen
