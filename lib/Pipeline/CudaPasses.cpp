// Every pass on the way to an NVIDIA GPU, in order, with the reason why it stands there.

#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/RewriteOrder.h"
#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Pipeline/Cuda.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
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

/// Where each tile lies, and how it moves.
static void addTileGPUPasses(OpPassManager &passes, const CudaCompileOptions &options) {
  tilegpu::AssignLayoutsOptions assign;
  assign.target = options.target;
  assign.numWarps = options.numWarps;
  assign.numStages = options.numStages;
  passes.addPass(tilegpu::createAssignLayouts(assign)); // every tile has a layout, the same for the same shape
  passes.addPass(tilegpu::createCoalesce());            // memory is accessed side by side, 16 bytes a thread
  passes.addPass(tilegpu::createChooseMma());           // products lie as a matrix instruction wants them
  passes.addPass(createCSEPass());                      // the same tile in the same layout is one value
  passes.addPass(tilegpu::createPropagateLayouts());    // conversions where the whole function costs least
  passes.addPass(tilegpu::createDecomposeReductions()); // what crosses warps is a conversion of partial results
  passes.addPass(tile::createCanonicalizer());          // conversions of conversions
  passes.addPass(tilegpu::createStageOperands());       // what changes warps goes through shared memory
  passes.addPass(tilegpu::createDecomposeGathers());    // and what is looked up
  passes.addPass(createCSEPass());
  passes.addPass(tilegpu::createSliceDotsK());     // reads of the next step beside products of this one
  passes.addPass(tilegpu::createPlanPipeline());   // which loads of a loop run ahead
  passes.addPass(tilegpu::createExpandPipeline()); // as asynchronous copies
  passes.addPass(tile::createCanonicalizer());     // loops whose trip count is known
  passes.addPass(createCSEPass());
  passes.addPass(tilegpu::createAllocateShared()); // by liveness
  passes.addPass(tilegpu::createInsertBarriers()); // by dependence; last, since it looks at what others moved
}

/// The code of one thread.
static void addThreadPasses(OpPassManager &passes, const CudaCompileOptions &options) {
  ExpandMathOptions expandMath;
  expandMath.gpu = true;
  MathToPtxOptions mathToPtx;
  mathToPtx.flushDenormals = true;    // exp2 is one instruction then, and results below 2^-126 are zero, as Triton's
  passes.addPass(createDistribute()); // a thread's share of a tile is one vector
  passes.addPass(createCSEPass());    // lane and warp are asked for again and again
  passes.addPass(tile::createCanonicalizer());
  if (options.enableFpFusion) {
    passes.addPass(createAllowContraction()); // the user's arithmetic, and not that of the next passes
  }
  passes.addPass(createExpandFloat8());                // after products, which need the types
  passes.addPass(createExpandRemainder());             // LLVM's own is inexact
  passes.addPass(createExpandDivision());              // the processor's own misses quotients that are integers
  passes.addPass(createExpandMath(expandMath));        // functions become arithmetic
  passes.addPass(createMathToPtx(mathToPtx));          // or the processor's approximations
  passes.addPass(createSplitMasks());                  // predicates are registers of their own
  passes.addPass(createLoopInvariantCodeMotionPass()); // what depends on the thread alone leaves the loops
}

/// The LLVM dialect, by upstream's conversions and one of ours.
static void addLLVMPasses(OpPassManager &passes, const CudaCompileOptions &options) {
  NvvmKernelOptions kernel;
  kernel.maxRegisters = options.maxRegisters;
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertToLLVMPass()); // everything but our own instructions
  passes.addPass(createPtxToLLVM());         // which become assembly
  passes.addPass(createNvvmKernel(kernel));  // the entry point and its number of threads
  if (options.lineInfo) {
    LLVM::DIScopeForLLVMFuncOpPassOptions scope;
    scope.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
    passes.addPass(createRestoreLocations());                    // must run before the next: it dereferences positions
    passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scope)); // so that locations become lines
  }
}

void addCudaPasses(OpPassManager &passes, CudaPhase phase, const CudaCompileOptions &options) {
  switch (phase) {
  case CudaPhase::Tile:
    addTilePasses(passes, options.specializeRanges);
    if (options.checkBounds) {
      passes.addPass(createCheckBounds()); // of the accesses that are left
      passes.addPass(createCSEPass());     // whose addresses and masks have much in common
    }
    return;
  case CudaPhase::TileGPU:
    return addTileGPUPasses(passes, options);
  case CudaPhase::Thread:
    return addThreadPasses(passes, options);
  case CudaPhase::LLVM:
    return addLLVMPasses(passes, options);
  case CudaPhase::Ptx:
  case CudaPhase::Cubin:
    return;
  }
}

/// Whether an operation may be left when tiles have become vectors.
static bool isThreadLevelOp(Operation *op) {
  bool onTiles = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
                 llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
  return !onTiles && !isa_and_nonnull<tile::TileDialect, tilegpu::TileGPUDialect>(op->getDialect());
}

LogicalResult verifyPhase(ModuleOp module, CudaPhase phase) {
  switch (phase) {
  case CudaPhase::Tile:
    return verifyTilePhase(module);
  case CudaPhase::TileGPU:
    return tilegpu::verifyLayouts(module);
  case CudaPhase::Thread:
    return verifyOperations(module, stringifyPhase(phase), isThreadLevelOp);
  default:
    return verifyOperations(module, stringifyPhase(phase), [](Operation *op) {
      return isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()) || isa<ModuleOp>(op);
    });
  }
}

namespace {
struct CudaPipelineOptions : PassPipelineOptions<CudaPipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("for whom: a name of the hardware table"),
                             llvm::cl::init("sm_90a")};
  Option<int> numWarps{*this, "num-warps", llvm::cl::desc("warps of a program"), llvm::cl::init(4)};
  Option<bool> checkBounds{*this, "check-bounds", llvm::cl::desc("check accesses of memory"), llvm::cl::init(false)};
  Option<int> numStages{*this, "num-stages", llvm::cl::desc("depth to which loops are pipelined"), llvm::cl::init(3)};
};
} // namespace

void registerCudaPipelines() {
  for (CudaPhase phase : {CudaPhase::Tile, CudaPhase::TileGPU, CudaPhase::Thread, CudaPhase::LLVM}) {
    std::string name = ("cuda-" + stringifyPhase(phase)).str();
    // The registry keeps the registration, not this object.
    PassPipelineRegistration<CudaPipelineOptions>(name, "The passes of one phase on the way to an NVIDIA GPU",
                                                  [phase](OpPassManager &passes, const CudaPipelineOptions &given) {
                                                    CudaCompileOptions options;
                                                    options.target = given.target;
                                                    options.numWarps = given.numWarps;
                                                    options.numStages = given.numStages;
                                                    options.checkBounds = given.checkBounds;
                                                    addCudaPasses(passes, phase, options);
                                                  });
  }
}

void registerCudaPipeline(DialectRegistry &registry) {
  registry.insert<tilegpu::TileGPUDialect, NVVM::NVVMDialect>();
  func::registerInlinerExtension(registry);
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

} // namespace tilewright
