// The passes of the pipeline for AMD GPUs: those that all GPUs share (GpuPasses.cpp), and those to the LLVM dialect.

#include "GpuPasses.h"
#include "PhasePipelines.h"

#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"
#include "tilewright/Hardware/Amd.h"
#include "tilewright/Pipeline/Hip.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"

using namespace mlir;

namespace tilewright {

static constexpr HipPhase kPhases[] = {HipPhase::Tile, HipPhase::TileGPU, HipPhase::Thread, HipPhase::LLVM};

StringRef stringifyPhase(HipPhase phase) {
  static constexpr llvm::StringLiteral names[] = {"tile", "tilegpu", "thread", "llvm"};
  return names[static_cast<int>(phase)];
}

std::optional<HipPhase> parseHipPhase(StringRef name) {
  const auto *found = llvm::find_if(kPhases, [&](HipPhase phase) { return stringifyPhase(phase) == name; });
  return found == std::end(kPhases) ? std::nullopt : std::optional(*found);
}

static void addTilePhase(OpPassManager &passes, StringRef target, const HipOptions &options) {
  addGpuTilePasses(passes, options);
  const hardware::AmdInfo *info = hardware::lookupAmd(target.str());
  if (options.bufferOps && info && info->bufferFlags != 0) {
    // Must run before the pipeliner, because ranges of addresses that run ahead are larger.
    passes.addPass(createMarkSmallOffsets({options.specializeRanges}));
  }
}

/// To the LLVM dialect, by AMD's instructions and upstream's conversions.
static void addLLVMPasses(OpPassManager &passes, const HipOptions &options) {
  RocdlKernelOptions kernel;
  kernel.maxRegisters = options.maxRegisters->value_or(0);
  kernel.wavesPerEu = options.wavesPerEu;
  passes.addPass(createMathToRocdl());   // must run before upstream's conversions, which would call functions
  passes.addPass(createThreadToRocdl()); // must run before control flow is lowered because it creates branches
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertToLLVMPass()); // all dialects except rocdl
  passes.addPass(createRocdlKernel(kernel)); // marks the entry point and its number of threads
  if (options.lineInfo) {
    LLVM::DIScopeForLLVMFuncOpPassOptions scope;
    scope.emissionKind = LLVM::DIEmissionKind::LineTablesOnly;
    passes.addPass(createRestoreLocations()); // must run before the next pass, which dereferences positions
    passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scope)); // turns locations into line information
  }
}

static TileGPUSettings settingsOf(const HipOptions &options) {
  TileGPUSettings settings;
  settings.mmaSide = options.matrixInstrNonkdim;
  settings.throughRegisters = options.prefetch;
  return settings;
}

void addHipPasses(OpPassManager &passes, HipPhase phase, StringRef target, const HipOptions &options) {
  switch (phase) {
  case HipPhase::Tile:
    return addTilePhase(passes, target, options);
  case HipPhase::TileGPU:
    return addTileGPUPasses(passes, target, options, settingsOf(options));
  case HipPhase::Thread:
    return addThreadPasses(passes);
  case HipPhase::LLVM:
    return addLLVMPasses(passes, options);
  }
}

LogicalResult verifyPhase(ModuleOp module, HipPhase phase) {
  switch (phase) {
  case HipPhase::Tile:
    return verifyTilePhase(module);
  case HipPhase::TileGPU:
    return tilegpu::verifyLayouts(module);
  case HipPhase::Thread:
    return verifyThreadPhase(module);
  case HipPhase::LLVM:
    break;
  }
  return verifyOperations(module, stringifyPhase(phase), [](Operation *op) {
    return isa_and_nonnull<LLVM::LLVMDialect, ROCDL::ROCDLDialect>(op->getDialect()) || isa<ModuleOp>(op);
  });
}

void registerHipPipelines() {
  for (HipPhase phase : kPhases) {
    registerPhasePipeline({("hip-" + stringifyPhase(phase)).str(),
                           "The passes of one phase of the pipeline for AMD GPUs",
                           {"target", "target architecture, a name of the hardware table", "gfx942"},
                           [] { return std::make_unique<HipOptions>(); },
                           [phase](OpPassManager &passes, StringRef target, const CompileOptions &options) {
                             addHipPasses(passes, phase, target, static_cast<const HipOptions &>(options));
                           }});
  }
}

void registerHipPipeline(DialectRegistry &registry) {
  registry.insert<tilegpu::TileGPUDialect, thread::ThreadDialect, ROCDL::ROCDLDialect>();
  registerTilePhase(registry);
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
}

} // namespace tilewright
