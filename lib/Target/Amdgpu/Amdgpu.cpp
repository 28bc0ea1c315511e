// Generates AMD's code objects from the LLVM dialect.

#include "tilewright/Target/Amdgpu/Amdgpu.h"

#include "../CodeGenerator.h"
#include "../LoopEntries.h"
#include "../WidenBfloats.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

using namespace llvm;

namespace tilewright::amdgpu {

/// Version 5 of the layout of code objects, as LLVM counts them. Runtimes since ROCm 5.3 load it.
static constexpr uint32_t kCodeObjectVersion = 500;

static void initializeBackend() {
  static const bool once = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    return true;
  }();
  (void)once;
}

Expected<std::unique_ptr<TargetMachine>> createTargetMachine(const hardware::AmdInfo &info) {
  initializeBackend();
  Triple triple("amdgcn-amd-amdhsa");
  auto backend = codegen::lookupBackend(triple);
  if (!backend) {
    return backend.takeError();
  }
  TargetOptions target;
  target.AllowFPOpFusion = FPOpFusion::Standard; // fuse only if both operations allow it
  std::unique_ptr<TargetMachine> machine((*backend)->createTargetMachine(
      triple, StringRef(info.name), "", target, Reloc::PIC_, std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine) {
    return createStringError("LLVM has no code generator for " + StringRef(info.name));
  }
  return machine;
}

Expected<std::unique_ptr<Module>> translate(mlir::ModuleOp source, LLVMContext &context, TargetMachine &machine) {
  auto module = codegen::translate(source, context, machine);
  if (!module) {
    return module;
  }
  (*module)->addModuleFlag(Module::Error, "amdhsa_code_object_version", kCodeObjectVersion);
  for (Function &function : **module) {
    if (function.isDeclaration()) {
      continue;
    }
    if (function.getCallingConv() != CallingConv::AMDGPU_KERNEL) {
      function.setLinkage(GlobalValue::InternalLinkage);
    }
    // Attributes of the processor decide which functions may be inlined into which.
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr(Attribute::NoUnwind);
    // The function may contain barriers. LLVM removes the attribute if it does not.
    function.addFnAttr(Attribute::Convergent);
  }
  return module;
}

/// A thread's share of a tile is one vector, or pieces of one (split-vectors), but registers have 32 bits. Splits
/// vectors into words, with 16-bit elements in pairs, or into pairs of words if there are instructions for pairs of
/// 32-bit floats.
static void addVectorSplitting(ModulePassManager &modules, const TargetMachine &machine) {
  ScalarizerPassOptions options;
  options.ScalarizeMinBits = machine.getMCSubtargetInfo()->checkFeatures("+packed-fp32-ops") ? 64 : 32;
  options.ScalarizeLoadStore = false; // keep wide accesses
  FunctionPassManager functions;
  functions.addPass(ScalarizerPass(options));
  // Must run again because constants and common parts of addresses are only visible in scalars.
  functions.addPass(EarlyCSEPass());
  functions.addPass(InstCombinePass());
  modules.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
}

/// gfx12 has the positions along y and z in the halves of one register. LLVM takes the whole one for y where it has
/// inferred that the kernel does not read z, although the grid may have more than one program along z.
static void keepProgramIdsApart(Module &module) {
  for (Function &function : module) {
    if (!function.hasFnAttribute("amdgpu-no-workgroup-id-y")) {
      function.removeFnAttr("amdgpu-no-workgroup-id-z");
    }
  }
}

void optimize(Module &module, TargetMachine &machine) {
  codegen::widenBfloatsBesideHalves(module);
  PipelineTuningOptions tuning;
  // The code is already vectorized.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  codegen::optimize(module, machine, OptimizationLevel::O3, tuning, [&machine](PassBuilder &builder) {
    codegen::keepLoopEntries(builder);
    builder.registerOptimizerLastEPCallback([&machine](ModulePassManager &modules, OptimizationLevel,
                                                       ThinOrFullLTOPhase) { addVectorSplitting(modules, machine); });
  });
  keepProgramIdsApart(module);
}

/// " (called at kernel.py:12)", or empty if the location is unknown.
static std::string describeCaller(const Function &callee) {
  for (const User *user : callee.users()) {
    auto *call = dyn_cast<CallBase>(user);
    if (const DILocation *location = call ? call->getDebugLoc().get() : nullptr) {
      return (" (called at " + location->getFilename() + ":" + Twine(location->getLine()) + ")").str();
    }
  }
  return "";
}

/// LLVM takes an intrinsic that it does not know for a function.
static Error checkCallees(const Module &module) {
  for (const Function &function : module) {
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty()) {
      continue;
    }
    StringRef name = function.getName();
    StringRef kind =
        name.starts_with("llvm.") ? "an intrinsic that LLVM does not have" : "which is not defined on a GPU";
    return createStringError("the kernel calls '" + name + "'" + describeCaller(function) + ", " + kind);
  }
  return Error::success();
}

static Expected<std::string> emit(Module &module, TargetMachine &machine, CodeGenFileType type) {
  if (Error error = joinErrors(checkCallees(module), codegen::checkLoopEntries(module))) {
    return error;
  }
  auto bytes = codegen::emit(module, machine, type);
  if (!bytes) {
    return bytes.takeError();
  }
  return std::string(bytes->begin(), bytes->end());
}

Expected<std::string> emitAssembly(Module &module, TargetMachine &machine) {
  return emit(module, machine, CodeGenFileType::AssemblyFile);
}

Expected<std::string> emitObject(Module &module, TargetMachine &machine) {
  return emit(module, machine, CodeGenFileType::ObjectFile);
}

} // namespace tilewright::amdgpu
