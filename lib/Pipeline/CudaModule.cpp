#include "CudaModule.h"

#include "GpuModuleSteps.h"
#include "HostCode.h"
#include "ScheduleReport.h"

#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/Tile/Transforms/Decisions.h"
#include "tilewright/Dialect/TileGPU/IR/TensorMaps.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Target/Cuda/Assemble.h"
#include "tilewright/Target/Libraries.h"
#include "tilewright/Target/Nvptx/Nvptx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Keeps the diagnostics of passes whose result may be discarded.
class HeldDiagnostics {
public:
  explicit HeldDiagnostics(MLIRContext &context)
      : context(context), handler(std::in_place, &context,
                                  [this](Diagnostic &diagnostic) { diagnostics.push_back(std::move(diagnostic)); }) {}
  ~HeldDiagnostics() { emit(); }

  void emit() {
    handler.reset();
    for (Diagnostic &diagnostic : std::exchange(diagnostics, {})) {
      context.getDiagEngine().emit(std::move(diagnostic));
    }
  }
  void drop() {
    diagnostics.clear();
    handler.reset();
  }

private:
  MLIRContext &context;
  std::vector<Diagnostic> diagnostics;
  std::optional<ScopedDiagnosticHandler> handler;
};

class CudaModuleBuilder {
public:
  CudaModuleBuilder(ModuleOp module, StringRef target, const hardware::Limits &limits, const CudaOptions &options,
                    Compilation &compilation, CompileFailure &failure)
      : module(module), target(target), limits(limits), options(options), compilation(compilation), failure(failure) {}

  std::optional<CudaModule> run() {
    built.info = hardware::lookupNvidia(target);
    if (!built.info) {
      compilation.fail("target", ("unknown target '" + target + "'").str());
      return std::nullopt;
    }
    std::optional<CudaPhase> startAfter = parseCudaPhase(*options.startAfter);
    if (!startAfter && !options.startAfter->empty()) {
      compilation.fail("target", "start_after: there is no phase '" + *options.startAfter + "'");
      return std::nullopt;
    }
    std::optional<int> threads = checkThreads(built.info->name, limits, options, compilation, failure);
    if (!threads) {
      return std::nullopt;
    }
    built.threads = *threads;
    if (compilation.wantsDump()) {
      compilation.dumpModule("source");
    }
    schedule.start(module, options, compilation);
    for (CudaPhase phase : {CudaPhase::Tile, CudaPhase::TileGPU, CudaPhase::Thread, CudaPhase::LLVM}) {
      if (startAfter >= phase) {
        continue;
      }
      bool ok = phase == CudaPhase::TileGPU ? runTileGPUPhase()
                : phase == CudaPhase::LLVM  ? runLLVMPhase()
                                            : runPhase(phase, options);
      if (phase == CudaPhase::TileGPU) {
        built.threads = tilegpu::launchedThreads(module).count();
        schedule.finish(module, built.info->name, limits, options, compilation, built);
      }
      if (!ok) {
        failure.schedule = std::move(built.schedule);
        noteSharedMemory(module, limits, failure);
        return std::nullopt;
      }
    }
    if (!findKernel() || !optimize()) {
      return std::nullopt;
    }
    if (built.schedule) {
      (*built.schedule)["occupancy"] = describeOccupancy(*built.info, built.threads, 0, built.sharedBytes);
    }
    return std::move(built);
  }

private:
  bool runPhase(CudaPhase phase, const CudaOptions &with) {
    return compilation.runPasses(
        stringifyPhase(phase), [&](OpPassManager &passes) { addCudaPasses(passes, phase, target, with); },
        [&](ModuleOp result) { return verifyPhase(result, phase); }, phase != CudaPhase::LLVM);
  }

  /// The passes choose early whether a kernel is persistent. If it needs too much for that, or turns out to copy no
  /// boxes, which is what would overlap, the phase is run again without the choice.
  bool runTileGPUPhase() {
    if (options.persistent->has_value() || !hardware::lookupGpu(target)->copiesBoxes) {
      return runPhase(CudaPhase::TileGPU, options);
    }
    OwningOpRef<ModuleOp> before(module.clone());
    HeldDiagnostics diagnostics(*module.getContext());
    bool ok = runPhase(CudaPhase::TileGPU, options);
    if (!hasPersistentKernel(module) || (ok && copiesBoxes())) {
      diagnostics.emit();
      return ok;
    }
    diagnostics.drop();
    failure = CompileFailure();
    module->setAttrs((*before)->getAttrDictionary());
    module.getBodyRegion().takeBody(before->getBodyRegion());
    schedule.start(module, options, compilation);
    stateNotPersistent(module, ok ? "it copies no boxes, which would overlap with the previous program's stores"
                                  : "with it, the kernel needs more than the GPU has");
    CudaOptions others;
    others.copy(options);
    others.persistent.set(false);
    return runPhase(CudaPhase::TileGPU, others);
  }

  bool copiesBoxes() {
    return module.walk([](tilegpu::BoxCopyOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  bool runLLVMPhase() {
    CudaOptions others;
    others.copy(options);
    if (!options.definesAccumulators->has_value()) {
      others.definesAccumulators = needsDefinedAccumulators();
    }
    return runPhase(CudaPhase::LLVM, others);
  }

  /// The assembler is only asked for its version if that matters.
  bool needsDefinedAccumulators() {
    bool multiplies = false, hasPoison = false, movesRegisters = false;
    module.walk([&](Operation *op) {
      multiplies |= isa<thread::GroupMmaOp>(op);
      hasPoison |= isa<ub::PoisonOp>(op);
      movesRegisters |= isa<thread::SetRegistersOp>(op);
    });
    return multiplies && hasPoison &&
           cuda::serializesUndefinedAccumulators({options.nvJitLink, options.ptxas}, movesRegisters);
  }

  bool findKernel() {
    built.requirements = takeLaunchRequirements(module);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName())) {
        describeKernel(function, built);
        if (auto threads = function->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getReqntidAttrName())) {
          built.threads = threads[0];
        }
        return takeTensorMaps(function);
      }
    }
    return compilation.fail("thread", "the module has no kernel");
  }

  /// The launcher passes 128 bytes, aligned to 64, for each map.
  bool takeTensorMaps(LLVM::LLVMFuncOp kernel) {
    built.tensorMaps = tilegpu::tensorMapsOf(kernel);
    size_t known = built.slots.size() + built.tensorMaps.size();
    if (known != 0 && known != kernel.getNumArguments()) {
      return compilation.failWithModule("llvm", "the kernel has " + std::to_string(kernel.getNumArguments()) +
                                                    " parameters, but " + std::to_string(built.slots.size()) +
                                                    " slots and " + std::to_string(built.tensorMaps.size()) +
                                                    " tensor maps");
    }
    for (unsigned back = 1; back <= built.tensorMaps.size(); ++back) {
      unsigned index = kernel.getNumArguments() - back;
      auto bytes = kernel.getArgAttrOfType<TypeAttr>(index, LLVM::LLVMDialect::getByValAttrName());
      auto align = kernel.getArgAttrOfType<IntegerAttr>(index, LLVM::LLVMDialect::getAlignAttrName());
      bool fits = bytes && align && align.getInt() == alignof(runtime::EncodedTensorMap) &&
                  DataLayout(module).getTypeSize(bytes.getValue()) == runtime::EncodedTensorMap::kBytes;
      if (!fits) {
        return compilation.failWithModule("llvm", "parameter " + std::to_string(index) +
                                                      " is a tensor map, and must be 128 bytes that are passed by "
                                                      "value, aligned to 64");
      }
    }
    return true;
  }

  bool optimize() {
    bool isBuilt = buildLLVMModule(module, nvptx::createTargetMachine(*built.info),
                                   {nvptx::translate, nvptx::optimize, "ptx"}, compilation, built);
    if (isBuilt) {
      bool isReordered = module->hasAttr(tilegpu::TileGPUDialect::kShortLifetimesAttr);
      built.overlap = nvptx::hasMatrixInstruction(*built.module) ? cuda::Overlap::Matmul
                      : !nvptx::hasLoop(*built.module)           ? cuda::Overlap::None
                      : isReordered                              ? cuda::Overlap::Reordered
                                                                 : cuda::Overlap::Loads;
    }
    return isBuilt;
  }

  ModuleOp module;
  StringRef target;
  const hardware::Limits &limits;
  const CudaOptions &options;
  Compilation &compilation;
  CompileFailure &failure;
  CudaModule built;
  ScheduleCollection schedule;
};

} // namespace

llvm::json::Object describeOccupancy(const hardware::NvidiaInfo &info, int threads, int registers,
                                     int64_t sharedBytes) {
  llvm::json::Object occupancy{{"programs", hardware::blocksThatFit(info, threads, registers, sharedBytes)},
                               {"warps", hardware::blocksThatFit(info, threads, 0, 0)},
                               {"shared memory", hardware::blocksThatFit(info, threads, 0, sharedBytes)}};
  if (registers != 0) {
    occupancy["registers"] = hardware::blocksThatFit(info, threads, registers, 0);
  }
  return occupancy;
}

std::optional<CudaModule> buildCudaModule(ModuleOp module, StringRef target, const hardware::Limits &limits,
                                          const CudaOptions &options, Compilation &compilation,
                                          CompileFailure &failure) {
  return CudaModuleBuilder(module, target, limits, options, compilation, failure).run();
}

} // namespace tilewright
