// Generates PTX from the LLVM dialect.

#include "tilewright/Target/Nvptx/Nvptx.h"

#include "../CodeGenerator.h"
#include "../LoopEntries.h"
#include "../WidenBfloats.h"
#include "DivideInline.h"
#include "ExtendBfloatPairs.h"
#include "HideMmaConstants.h"
#include "KeepLoops.h"
#include "SplitPackedIntegers.h"
#include "WidenExtrema.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;

namespace tilewright::nvptx {

static void initializeBackend() {
  static const bool once = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Addresses in shared memory have 32 bits. NVVM's operations with inline assembly depend on it.
    codegen::setFlag("nvptx-short-ptr", true);
    return true;
  }();
  (void)once;
}

Expected<std::unique_ptr<TargetMachine>> createTargetMachine(const hardware::NvidiaInfo &info,
                                                             const MachineOptions &options) {
  initializeBackend();
  Triple triple("nvptx64-nvidia-cuda");
  auto backend = codegen::lookupBackend(triple);
  if (!backend) {
    return backend.takeError();
  }
  TargetOptions target;
  target.AllowFPOpFusion = FPOpFusion::Standard; // fuse only if both operations allow it
  int ptxVersion = std::max(info.codeVersion(), options.ptxVersion);
  std::unique_ptr<TargetMachine> machine(
      (*backend)->createTargetMachine(triple, StringRef(info.name), "+ptx" + std::to_string(ptxVersion), target,
                                      Reloc::PIC_, std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine) {
    return createStringError("LLVM has no code generator for " + StringRef(info.name));
  }
  return machine;
}

/// Marks inline assembly that all threads of a warp must execute together, so that it is not moved into branches.
static void markConvergentAssembly(Function &function) {
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    if (assembly && any_of(std::initializer_list<StringRef>{".sync", ".aligned"},
                           [&](StringRef modifier) { return assembly->getAsmString().contains(modifier); })) {
      call->setConvergent();
    }
  }
}

Expected<std::unique_ptr<Module>> translate(mlir::ModuleOp source, LLVMContext &context, TargetMachine &machine) {
  auto module = codegen::translate(source, context, machine);
  if (!module) {
    return module;
  }
  for (Function &function : **module) {
    if (function.isDeclaration()) {
      continue;
    }
    if (function.getCallingConv() != CallingConv::PTX_Kernel) {
      function.setLinkage(GlobalValue::InternalLinkage);
    }
    keepLoopsWithWgmma(function);
    markConvergentAssembly(function);
    function.addFnAttr(Attribute::NoUnwind);
    // The function may contain barriers. LLVM removes the attribute if it does not.
    function.addFnAttr(Attribute::Convergent);
  }
  return module;
}

/// A thread's share of a tile is one vector, or pieces of one (split-vectors), but the hardware has no vector
/// registers. Splits vectors into 32-bit words, with 16-bit elements in pairs.
static void addVectorSplitting(ModulePassManager &modules) {
  ScalarizerPassOptions options;
  options.ScalarizeMinBits = 32;
  options.ScalarizeLoadStore = false; // keep wide accesses
  FunctionPassManager functions;
  functions.addPass(ScalarizerPass(options));
  // Must run again because constants and common parts of addresses are only visible in scalars.
  functions.addPass(EarlyCSEPass());
  functions.addPass(InstCombinePass());
  modules.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
}

/// Whether a function is so long that work on pairs of its instructions takes a second.
static bool isLong(const Module &module) {
  constexpr unsigned kMost = 3000;
  return any_of(module, [](const Function &function) { return function.getInstructionCount() > kMost; });
}

void optimize(Module &module, TargetMachine &machine) {
  codegen::widenBfloatsBesideHalves(module);
  PipelineTuningOptions tuning;
  // The code is already vectorized.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  codegen::optimize(module, machine, OptimizationLevel::O3, tuning, [](PassBuilder &builder) {
    codegen::keepLoopEntries(builder);
    builder.registerOptimizerLastEPCallback([](ModulePassManager &modules, OptimizationLevel, ThinOrFullLTOPhase) {
      // Must run after the optimizer, which knows extensions but not their bits, and before vectors are split.
      modules.addPass(createModuleToFunctionPassAdaptor(ExtendBfloatPairs()));
      // Must run before code generation, whose time grows with the square of the length of a vector that a loop
      // carries.
      addVectorSplitting(modules);
      // Must run after InstCombine, which could create packed operations again.
      modules.addPass(createModuleToFunctionPassAdaptor(SplitPackedIntegers()));
      modules.addPass(createModuleToFunctionPassAdaptor(WidenExtrema())); // also of what was split
      modules.addPass(createModuleToFunctionPassAdaptor(DivideInline()));
    });
  });
}

void mergeAccesses(Module &module, TargetMachine &machine) {
  FunctionAnalysisManager functions;
  PassBuilder builder(&machine);
  builder.registerFunctionAnalyses(functions);
  // The pass uses no analyses of loops or modules, but requires the proxies.
  LoopAnalysisManager loops;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  for (Function &function : module) {
    if (!function.isDeclaration()) {
      LoadStoreVectorizerPass().run(function, functions);
    }
  }
}

/// Whether the driver defines the function for every kernel.
static bool isDefinedByDriver(StringRef name) {
  return is_contained({"vprintf", "malloc", "free", "__assertfail"}, name);
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

static Error checkCallees(const Module &module) {
  for (const Function &function : module) {
    StringRef name = function.getName();
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty() || isDefinedByDriver(name)) {
      continue;
    }
    StringRef kind =
        name.starts_with("__nv_") ? "a function of libdevice, which is not linked in" : "which is not defined on a GPU";
    return createStringError("the kernel calls '" + name + "'" + describeCaller(function) + ", " + kind);
  }
  return Error::success();
}

namespace {
/// Skips passes of the code generator that take too long for a long function: straight-line strength reduction compares
/// each instruction with all those before it, and value numbering repeats what the optimizer has done.
struct SkipSlowPasses : OptPassGate {
  bool shouldRunPass(StringRef pass, StringRef) const override { return pass != "slsr" && pass != "gvn"; }
  bool isEnabled() const override { return true; }
};
} // namespace

Expected<std::string> emitPtx(Module &module, TargetMachine &machine) {
  if (Error error = joinErrors(checkCallees(module), codegen::checkLoopEntries(module))) {
    return error;
  }
  hideMmaConstants(module);
  LLVMContext &context = module.getContext();
  OptPassGate &gate = context.getOptPassGate();
  SkipSlowPasses skip;
  if (isLong(module)) {
    context.setOptPassGate(skip);
  }
  llvm::scope_exit restore([&] { context.setOptPassGate(gate); });
  auto text = codegen::emit(module, machine, CodeGenFileType::AssemblyFile);
  if (!text) {
    return text.takeError();
  }
  return std::string(text->begin(), text->end());
}

bool hasMatrixInstruction(const Module &module) {
  constexpr StringLiteral prefixes[] = {"llvm.nvvm.mma.", "llvm.nvvm.wgmma.", "llvm.nvvm.wmma.",
                                        "llvm.nvvm.tcgen05.mma"};
  return any_of(module, [&](const Function &function) {
    return !function.use_empty() &&
           any_of(prefixes, [&](StringRef prefix) { return function.getName().starts_with(prefix); });
  });
}

bool hasLoop(Module &module) {
  return any_of(module, [](Function &function) {
    if (function.isDeclaration()) {
      return false;
    }
    CycleInfo cycles;
    cycles.compute(function);
    return !cycles.toplevel_cycles().empty();
  });
}

} // namespace tilewright::nvptx
