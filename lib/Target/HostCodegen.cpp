// From the LLVM dialect to an object file for the host.

#include "FatalErrors.h"
#include "HostWorkarounds.h"
#include "tilewright/Target/Host.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tilewright::host {

Expected<std::unique_ptr<Module>> translate(mlir::ModuleOp source, LLVMContext &context, TargetMachine &machine) {
  std::unique_ptr<Module> module = mlir::translateModuleToLLVMIR(source, context, "tilewright");
  if (!module) {
    return createStringError("the module could not be translated to LLVM IR");
  }
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  for (Function &function : *module) {
    if (function.isDeclaration()) {
      continue;
    }
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    // The widest registers, also on processors that prefer narrower ones for code that uses them little.
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("min-legal-vector-width", "512");
    function.addFnAttr(Attribute::NoUnwind);
  }
  return module;
}

void optimize(Module &module, TargetMachine &machine) {
  widenBfloatsByShift(module);
  splitMaskedAccesses(module, machine);
  PipelineTuningOptions tuning;
  // Tiles arrive as vectors, several to a step; the vectorisers would only look for more in vain, and unrolling makes
  // code that grows with the tile.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.LoopUnrolling = false;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2).run(module, modules);
  storeSingleLanes(module);
}

Expected<SmallVector<char, 0>> emit(Module &module, TargetMachine &machine, bool assembly) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  CodeGenFileType type = assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  // Leaked after a fatal error, like the module and the machine.
  auto *passes = new legacy::PassManager();
  if (machine.addPassesToEmitFile(*passes, stream, nullptr, type)) {
    delete passes;
    return createStringError("the code generator cannot write this kind of file");
  }
  if (Error error = runGuarded([&] { passes->run(module); })) {
    return error;
  }
  delete passes;
  return bytes;
}

} // namespace tilewright::host
