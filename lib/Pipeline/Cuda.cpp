// Runs the phases of the pipeline for NVIDIA GPUs.

#include "CudaModule.h"

#include <thread>

using namespace mlir;

namespace tilewright {
namespace {

/// Loads the assembler's library in a thread, concurrently with the first compilation of a process.
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
    std::optional<CudaModule> made = makeCudaModule(module, options, compilation, failure);
    if (!made || !emitPtx(*made) || !assemble(*made->info)) {
      return std::nullopt;
    }
    compiled.symbol = std::move(made->symbol);
    compiled.requirements = std::move(made->requirements);
    compiled.slots = std::move(made->slots);
    compiled.accesses = std::move(made->accesses);
    compiled.seconds = std::move(compilation.seconds);
    return std::move(compiled);
  }

private:
  bool emitPtx(CudaModule &made) {
    auto ptx = compilation.timed("ptx", [&] { return nvptx::emitPtx(*made.module, *made.machine); });
    if (!ptx) {
      made.leak();
      return compilation.failWithModule("ptx", llvm::toString(ptx.takeError()));
    }
    compiled.ptx = std::move(*ptx);
    compiled.sharedBytes = made.sharedBytes;
    if (compilation.wantsDump()) {
      compilation.dumpText("ptx", compiled.ptx);
    }
    return true;
  }

  /// Without an assembler, the result is only PTX, which the driver assembles when the kernel is loaded.
  bool assemble(const hardware::NvidiaInfo &info) {
    if (options.assembler.nvJitLink.empty() && options.assembler.ptxas.empty()) {
      return true;
    }
    warmUp.wait();
    auto cubin = compilation.timed("assemble", [&] {
      nvptx::Block block = {hardware::kLanesPerWarp * options.numWarps, compiled.sharedBytes};
      return options.maxRegisters > 0 ? nvptx::assemble(compiled.ptx, info, options.assembler)
                                      : nvptx::assembleForOccupancy(compiled.ptx, info, options.assembler, block);
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
