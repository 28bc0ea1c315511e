// Generates code for the host or another processor, from the LLVM dialect to an object file.

#include "../CodeGenerator.h"
#include "../WidenBfloats.h"
#include "HostWorkarounds.h"
#include "tilewright/Target/Host/Host.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace tilewright::host {

/// The longest SVE registers that the architecture allows.
static constexpr unsigned kMaxSveBits = 2048;

void prepare(Module &module, TargetMachine &machine) {
  for (Function &function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    if (machine.getTargetTriple().isX86()) {
      // Use the widest registers, even on processors for which LLVM prefers narrower ones.
      function.addFnAttr("prefer-vector-width", "512");
      function.addFnAttr("min-legal-vector-width", "512");
    } else if (hasSve(machine)) {
      // The code uses 128 bits of a register and is correct for registers of any length.
      function.addFnAttr(Attribute::getWithVScaleRangeArgs(module.getContext(), 1, kMaxSveBits / 128));
    }
    function.addFnAttr(Attribute::NoUnwind);
  }
}

Expected<std::unique_ptr<Module>> translate(mlir::ModuleOp source, LLVMContext &context, TargetMachine &machine) {
  auto module = codegen::translate(source, context, machine);
  if (!module) {
    return module;
  }
  prepare(**module, machine);
  return module;
}

void optimize(Module &module, TargetMachine &machine) {
  codegen::addToBfloatsByBits(module);
  codegen::computeBfloatsInSingle(module);
  codegen::widenBfloatsByShift(module);
  codegen::narrowToBfloatsByBits(module);
  splitMaskedAccesses(module, machine);
  PipelineTuningOptions tuning;
  // The code is already vectorized and unrolled for the tile. The vectorizers would find nothing, and unrolling would
  // make the size of the code depend on the size of the tile.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.LoopUnrolling = false;
  codegen::optimize(module, machine, OptimizationLevel::O2, tuning);
  splitLongBlocks(module);
  nameMaskedMoves(module, machine);
  predicateAccesses(module, machine);
  accessBfloatsAsIntegers(module);
  moveBfloatsAsIntegers(module);
  if (machine.getTargetTriple().isX86()) {
    loadTemporally(module);
    storeSingleLanes(module);
    extractElements(module);
    hideOperandsOfExtrema(module);
  }
}

Expected<SmallVector<char, 0>> emit(Module &module, TargetMachine &machine, bool assembly) {
  return codegen::emit(module, machine, assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile);
}

} // namespace tilewright::host
