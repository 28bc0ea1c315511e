#include "CudaModule.h"

#include "HostCode.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tilewright {
namespace {

class CudaModuleMaker {
public:
  CudaModuleMaker(ModuleOp module, const CudaCompileOptions &options, Compilation &compilation, CompileFailure &failure)
      : module(module), options(options), compilation(compilation), failure(failure) {}

  std::optional<CudaModule> run() {
    made.info = hardware::lookupNvidia(options.target);
    if (!made.info) {
      compilation.fail("target", "unknown target '" + options.target + "'");
      return std::nullopt;
    }
    if (!checkThreads()) {
      return std::nullopt;
    }
    if (compilation.wantsDump()) {
      compilation.dumpModule("source");
    }
    for (CudaPhase phase : {CudaPhase::Tile, CudaPhase::TileGPU, CudaPhase::Thread, CudaPhase::LLVM}) {
      if (options.startAfter >= phase) {
        continue;
      }
      bool ok = compilation.runPasses(
          stringifyPhase(phase), [&](OpPassManager &passes) { addCudaPasses(passes, phase, options); },
          [&](ModuleOp result) { return verifyPhase(result, phase); }, phase != CudaPhase::LLVM);
      if (!ok) {
        checkSharedMemory();
        return std::nullopt;
      }
    }
    if (!findKernel() || !optimize()) {
      return std::nullopt;
    }
    return std::move(made);
  }

private:
  bool checkThreads() {
    constexpr int most = hardware::kThreadsPerBlock;
    int threads = hardware::kLanesPerWarp * options.numWarps;
    if (threads <= most) {
      return true;
    }
    failure.excess = {"threads", threads, most};
    return compilation.fail("target", "the kernel needs " + std::to_string(threads) + " threads, and " +
                                          std::string(made.info->name) + " has " + std::to_string(most) +
                                          " for each program; num_warps is at most " +
                                          std::to_string(most / hardware::kLanesPerWarp));
  }

  /// Records an excess if a phase failed because the kernel needs too much shared memory.
  void checkSharedMemory() {
    auto bytes = module->getAttrOfType<IntegerAttr>(tilegpu::TileGPUDialect::kSharedBytesAttr);
    if (bytes && bytes.getInt() > made.info->sharedPerBlock) {
      failure.excess = {"shared memory", bytes.getInt(), made.info->sharedPerBlock};
    }
  }

  bool findKernel() {
    made.requirements = takeLaunchRequirements(module);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName())) {
        made.symbol = function.getName().str();
        if (auto bytes = module->getAttrOfType<IntegerAttr>(tilegpu::TileGPUDialect::kSharedBytesAttr)) {
          made.sharedBytes = bytes.getInt();
        }
        if (auto slots = function->getAttrOfType<DenseI32ArrayAttr>(tilegpu::TileGPUDialect::kSlotsAttr)) {
          made.slots = std::vector<int>(slots.asArrayRef().begin(), slots.asArrayRef().end());
        }
        made.accesses = readCheckedAccesses(function);
        return true;
      }
    }
    return compilation.fail("thread", "the module has no kernel");
  }

  bool optimize() {
    auto machine = nvptx::createTargetMachine(*made.info);
    if (!machine) {
      return compilation.fail("ptx", llvm::toString(machine.takeError()));
    }
    made.machine = std::move(*machine);
    made.context = std::make_unique<llvm::LLVMContext>();
    auto translated =
        compilation.timed("translate", [&] { return nvptx::translate(module, *made.context, *made.machine); });
    if (!translated) {
      return compilation.failWithModule("llvm", llvm::toString(translated.takeError()));
    }
    made.module = std::move(*translated);
    compilation.timed("optimize", [&] {
      nvptx::optimize(*made.module, *made.machine);
      return 0;
    });
    if (compilation.wantsDump()) {
      compilation.dumpText("llvm", printModule(*made.module));
    }
    return true;
  }

  ModuleOp module;
  const CudaCompileOptions &options;
  Compilation &compilation;
  CompileFailure &failure;
  CudaModule made;
};

} // namespace

std::optional<CudaModule> makeCudaModule(ModuleOp module, const CudaCompileOptions &options, Compilation &compilation,
                                         CompileFailure &failure) {
  return CudaModuleMaker(module, options, compilation, failure).run();
}

} // namespace tilewright
