// Driving the phases on the way to an NVIDIA GPU.

#include "tilewright/Pipeline/Cuda.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <thread>

using namespace mlir;

namespace tilewright {
namespace {

/// Opens the assembler's library beside the first compilation of a process.
class AssemblerWarmUp {
public:
  explicit AssemblerWarmUp(const nvptx::AssembleOptions &options) {
    static std::atomic<bool> done = false;
    if (!options.nvJitLink.empty() && !done.exchange(true)) {
      thread = std::thread([path = options.nvJitLink] { nvptx::warmUp(path); });
    }
  }
  ~AssemblerWarmUp() { wait(); }
  void wait() {
    if (thread.joinable()) {
      thread.join();
    }
  }

private:
  std::thread thread;
};

class CudaCompilation {
public:
  CudaCompilation(ModuleOp module, const CudaCompileOptions &options, CompileFailure &failure)
      : module(module), options(options), failure(failure), compilation(module, options.dump, failure),
        warmUp(options.assembler) {}

  std::optional<CompiledForCuda> run() {
    info = hardware::lookupNvidia(options.target);
    if (!info) {
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
      bool ok = compilation.runPasses(
          stringifyPhase(phase), [&](OpPassManager &passes) { addCudaPasses(passes, phase, options); },
          [&](ModuleOp result) { return verifyPhase(result, phase); }, phase != CudaPhase::LLVM);
      if (!ok) {
        checkSharedMemory();
        return std::nullopt;
      }
    }
    if (!findKernel() || !emitPtx() || !assemble()) {
      return std::nullopt;
    }
    compiled.seconds = std::move(compilation.seconds);
    return std::move(compiled);
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
                                          std::string(info->name) + " has " + std::to_string(most) +
                                          " for each program; num_warps is at most " +
                                          std::to_string(most / hardware::kLanesPerWarp));
  }

  /// Whether too much of it is why a phase failed.
  void checkSharedMemory() {
    auto bytes = module->getAttrOfType<IntegerAttr>(tilegpu::TileGPUDialect::kSharedBytesAttr);
    if (bytes && bytes.getInt() > info->sharedPerBlock) {
      failure.excess = {"shared memory", bytes.getInt(), info->sharedPerBlock};
    }
  }

  bool findKernel() {
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName())) {
        compiled.symbol = function.getName().str();
        if (auto bytes = module->getAttrOfType<IntegerAttr>(tilegpu::TileGPUDialect::kSharedBytesAttr)) {
          compiled.sharedBytes = bytes.getInt();
        }
        if (auto slots = function->getAttrOfType<DenseI32ArrayAttr>(tilegpu::TileGPUDialect::kSlotsAttr)) {
          compiled.slots = std::vector<int>(slots.asArrayRef().begin(), slots.asArrayRef().end());
        }
        return true;
      }
    }
    return compilation.fail("thread", "the module has no kernel");
  }

  bool emitPtx() {
    auto machine = nvptx::createTargetMachine(*info);
    if (!machine) {
      return compilation.fail("ptx", llvm::toString(machine.takeError()));
    }
    auto context = std::make_unique<llvm::LLVMContext>();
    auto translated = compilation.timed("translate", [&] { return nvptx::translate(module, *context, **machine); });
    if (!translated) {
      return compilation.failWithModule("llvm", llvm::toString(translated.takeError()));
    }
    llvm::Module &llvmModule = **translated;
    compilation.timed("optimize", [&] {
      nvptx::optimize(llvmModule, **machine);
      return 0;
    });
    if (compilation.wantsDump()) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      llvmModule.print(stream, nullptr);
      compilation.dumpText("llvm", text);
    }
    auto ptx = compilation.timed("ptx", [&] { return nvptx::emitPtx(llvmModule, **machine); });
    if (!ptx) {
      (void)translated->release(), (void)machine->release(), (void)context.release();
      return compilation.failWithModule("ptx", llvm::toString(ptx.takeError()));
    }
    compiled.ptx = std::move(*ptx);
    if (compilation.wantsDump()) {
      compilation.dumpText("ptx", compiled.ptx);
    }
    return true;
  }

  /// Without an assembler the PTX is all there is: the driver assembles it when the kernel is loaded.
  bool assemble() {
    if (options.assembler.nvJitLink.empty() && options.assembler.ptxas.empty()) {
      return true;
    }
    warmUp.wait();
    auto cubin = compilation.timed("assemble", [&] {
      nvptx::Block block = {hardware::kLanesPerWarp * options.numWarps, compiled.sharedBytes};
      return options.maxRegisters > 0 ? nvptx::assemble(compiled.ptx, *info, options.assembler)
                                      : nvptx::assembleForOccupancy(compiled.ptx, *info, options.assembler, block);
    });
    if (!cubin) {
      return compilation.failWithModule("cubin", llvm::toString(cubin.takeError()));
    }
    compiled.cubin = std::move(*cubin);
    if (compilation.wantsDump()) {
      compilation.dumpText("log", compiled.cubin.log);
    }
    return true;
  }

  ModuleOp module;
  const CudaCompileOptions &options;
  CompileFailure &failure;
  Compilation compilation;
  AssemblerWarmUp warmUp;
  const hardware::NvidiaInfo *info = nullptr;
  CompiledForCuda compiled;
};

} // namespace

std::optional<CompiledForCuda> compileForCuda(ModuleOp module, const CudaCompileOptions &options,
                                              CompileFailure &failure) {
  return CudaCompilation(module, options, failure).run();
}

} // namespace tilewright
