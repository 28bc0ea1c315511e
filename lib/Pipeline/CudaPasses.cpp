// The passes of the pipeline for NVIDIA GPUs: those that all GPUs share (GpuPasses.cpp), and those to the LLVM dialect.

#include "GpuPasses.h"
#include "PhasePipelines.h"

#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"
#include "tilewright/Pipeline/Cuda.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewright {

StringRef stringifyPhase(CudaPhase phase) {
  static constexpr llvm::StringLiteral names[] = {"tile", "tilegpu", "thread", "llvm", "ptx", "cubin"};
  return names[static_cast<int>(phase)];
}

std::optional<CudaPhase> parseCudaPhase(StringRef name) {
  for (CudaPhase phase : {CudaPhase::Tile, CudaPhase::TileGPU, CudaPhase::Thread, CudaPhase::LLVM}) {
    if (stringifyPhase(phase) == name) {
      return phase;
    }
  }
  return std::nullopt;
}

/// To the LLVM dialect, by NVIDIA's instructions and upstream's conversions.
static void addLLVMPasses(OpPassManager &passes, const CudaOptions &options) {
  MathToPtxOptions mathToPtx;
  mathToPtx.flushDenormals = true; // one instruction for exp2, which flushes results below 2^-126, as in Triton
  NvvmKernelOptions kernel;
  kernel.maxRegisters = options.maxRegisters->value_or(0);
  if (options.definesAccumulators->value_or(false)) {
    passes.addPass(createDefinePoison()); // must run after start-from-zero, whose poison it replaces
  }
  passes.addPass(createMathToPtx(mathToPtx)); // must run before upstream's conversions, which would call functions
  passes.addPass(createThreadToNvvm());       // must run before control flow is lowered because it creates branches
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertToLLVMPass()); // all dialects except ptx
  passes.addPass(createPtxToLLVM());         // inline assembly and intrinsics
  passes.addPass(createNvvmKernel(kernel));  // marks the entry point and its number of threads
  if (options.lineInfo) {
    LLVM::DIScopeForLLVMFuncOpPassOptions scope;
    scope.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
    passes.addPass(createRestoreLocations()); // must run before the next pass, which dereferences positions
    passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scope)); // turns locations into line information
  }
}

void addCudaPasses(OpPassManager &passes, CudaPhase phase, StringRef target, const CudaOptions &options) {
  switch (phase) {
  case CudaPhase::Tile:
    return addGpuTilePasses(passes, options);
  case CudaPhase::TileGPU:
    return addTileGPUPasses(
        passes, target, options,
        {*options.groupMma, /*mmaSide=*/0, *options.launchCooperativeGrid, options.canMoveRegisters()});
  case CudaPhase::Thread:
    return addThreadPasses(passes);
  case CudaPhase::LLVM:
    return addLLVMPasses(passes, options);
  case CudaPhase::Ptx:
  case CudaPhase::Cubin:
    return;
  }
}

LogicalResult verifyPhase(ModuleOp module, CudaPhase phase) {
  switch (phase) {
  case CudaPhase::Tile:
    return verifyTilePhase(module);
  case CudaPhase::TileGPU:
    return tilegpu::verifyLayouts(module);
  case CudaPhase::Thread:
    return verifyThreadPhase(module);
  default:
    return verifyOperations(module, stringifyPhase(phase), [](Operation *op) {
      return isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()) || isa<ModuleOp>(op);
    });
  }
}

void registerCudaPipelines() {
  for (CudaPhase phase : {CudaPhase::Tile, CudaPhase::TileGPU, CudaPhase::Thread, CudaPhase::LLVM}) {
    registerPhasePipeline({("cuda-" + stringifyPhase(phase)).str(),
                           "The passes of one phase of the pipeline for NVIDIA GPUs",
                           {"target", "target architecture, a name of the hardware table", "sm_90a"},
                           [] { return std::make_unique<CudaOptions>(); },
                           [phase](OpPassManager &passes, StringRef target, const CompileOptions &options) {
                             addCudaPasses(passes, phase, target, static_cast<const CudaOptions &>(options));
                           }});
  }
}

void registerCudaPipeline(DialectRegistry &registry) {
  registry.insert<tilegpu::TileGPUDialect, thread::ThreadDialect, NVVM::NVVMDialect>();
  registerTilePhase(registry);
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

} // namespace tilewright
