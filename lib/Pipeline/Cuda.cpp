// Runs the phases of the pipeline for NVIDIA GPUs.

#include "CudaModule.h"

#include "tilewright/Target/Nvptx/Nvptx.h"

#include <thread>

using namespace mlir;

namespace tilewright {
namespace {

/// Loads the assembler's library in a thread, concurrently with the first compilation of a process.
class AssemblerWarmUp {
public:
  explicit AssemblerWarmUp(const cuda::AssembleOptions &options) {
    static std::atomic<bool> done = false;
    if (!options.nvJitLink.empty() && !done.exchange(true)) {
      thread = std::thread([path = options.nvJitLink] { cuda::warmUp(path); });
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
    std::optional<CudaModule> built = buildCudaModule(module, options, compilation, failure);
    if (!built || !emitPtx(*built) || !assemble(*built)) {
      return std::nullopt;
    }
    compiled.symbol = std::move(built->symbol);
    compiled.requirements = std::move(built->requirements);
    compiled.slots = std::move(built->slots);
    compiled.accesses = std::move(built->accesses);
    compiled.seconds = std::move(compilation.seconds);
    return std::move(compiled);
  }

private:
  bool emitPtx(CudaModule &built) {
    auto ptx = compilation.timed("ptx", [&] { return nvptx::emitPtx(*built.module, *built.machine); });
    if (!ptx) {
      built.leak();
      return compilation.failWithModule("ptx", llvm::toString(ptx.takeError()));
    }
    compiled.ptx = std::move(*ptx);
    compiled.sharedBytes = built.sharedBytes;
    if (compilation.wantsDump()) {
      compilation.dumpText("ptx", compiled.ptx);
    }
    return true;
  }

  /// Without an assembler, the result is only PTX, which the driver assembles when the kernel is loaded.
  bool assemble(const CudaModule &built) {
    if (options.assembler.nvJitLink.empty() && options.assembler.ptxas.empty()) {
      return true;
    }
    warmUp.wait();
    // Matmul loops hide latency by pipelining, and take the longest time to assemble. More blocks would not pay.
    bool usesSpareRegisters = options.maxRegisters == 0 && !built.multipliesMatrices;
    cuda::Block block = {hardware::kLanesPerWarp * options.numWarps, compiled.sharedBytes};
    auto cubin = compilation.timed("assemble", [&] {
      return usesSpareRegisters ? cuda::assembleForOccupancy(compiled.ptx, *built.info, options.assembler, block)
                                : cuda::assemble(compiled.ptx, *built.info, options.assembler);
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
  CompiledForCuda compiled;
};

} // namespace

std::optional<CompiledForCuda> compileForCuda(ModuleOp module, const CudaCompileOptions &options,
                                              CompileFailure &failure) {
  return CudaCompilation(module, options, failure).run();
}

} // namespace tilewright
