// Runs the phases of the pipeline for NVIDIA GPUs.

#include "CudaModule.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Hardware/Gpu.h"
#include "tilewright/Target/Cuda/Assemble.h"
#include "tilewright/Target/Nvptx/Nvptx.h"

#include <thread>

using namespace mlir;

namespace tilewright {
namespace {

/// Loads the assembler's library in a thread, concurrently with the first compilation of a process.
class AssemblerWarmUp {
public:
  explicit AssemblerWarmUp(const std::string &nvJitLink) {
    static std::atomic<bool> done = false;
    if (!nvJitLink.empty() && !done.exchange(true)) {
      thread = std::thread([path = nvJitLink] { cuda::warmUp(path); });
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

/// What another attempt leaves out: warps that only start copies, or matrix instructions of warp groups.
enum class Retry { None, WithoutProducers, WithoutGroupMma };

class CudaCompilation {
public:
  CudaCompilation(ModuleOp module, StringRef target, const hardware::Limits &limits, const CudaOptions &options,
                  PhaseDump dump, CompileFailure &failure)
      : module(module), target(target), limits(limits), options(options), failure(failure),
        compilation(module, std::move(dump), failure), assembler{options.nvJitLink, options.ptxas},
        warmUp(options.nvJitLink) {
    assembler.lineInfo = options.lineInfo;
  }

  std::optional<Compiled> run() {
    std::optional<CudaModule> built = buildCudaModule(module, target, limits, options, compilation, failure);
    if (!built || !emitPtx(*built) || !assemble(*built)) {
      return std::nullopt;
    }
    compiled.symbol = std::move(built->symbol);
    compiled.requirements = std::move(built->requirements);
    compiled.metadata["num_warps"] = *options.numWarps;
    compiled.metadata["threads"] = built->threads;
    compiled.metadata["shared_bytes"] = built->sharedBytes;
    compiled.metadata["launch_pdl"] = *options.launchPdl && hardware::lookupGpu(target)->overlapsGrids;
    compiled.metadata["launch_cooperative_grid"] = *options.launchCooperativeGrid;
    compiled.metadata["slots"] = llvm::json::Array(built->slots);
    compiled.metadata["tensor_maps"] = llvm::json::Array(built->tensorMaps.encode());
    compiled.metadata["asserts"] = std::move(built->asserts);
    compiled.metadata["persistent"] = built->isPersistent;
    compiled.accesses = std::move(built->accesses);
    if (built->schedule) {
      int registers = static_cast<int>(compiled.metadata.getInteger("registers").value_or(0));
      (*built->schedule)["occupancy"] = describeOccupancy(*built->info, built->threads, registers, built->sharedBytes);
      compiled.metadata["schedule"] = std::move(*built->schedule);
    }
    compiled.seconds = std::move(compilation.seconds);
    return std::move(compiled);
  }

  /// What another attempt should leave out, after run() has returned nothing. Nothing is left out twice.
  Retry retry() const {
    if (lacksRegistersForProducers && options.specializeWarps->value_or(true)) {
      return Retry::WithoutProducers;
    }
    return *options.groupMma && cuda::lacksRegisters(failure.message) ? Retry::WithoutGroupMma : Retry::None;
  }

private:
  bool emitPtx(CudaModule &built) {
    auto ptx = compilation.timed("ptx", [&] { return nvptx::emitPtx(*built.module, *built.machine); });
    if (!ptx) {
      built.leak();
      return compilation.failWithModule("ptx", llvm::toString(ptx.takeError()));
    }
    if (compilation.wantsDump()) {
      compilation.dumpText("ptx", *ptx);
    }
    compiled.object = *ptx;
    compiled.texts["ptx"] = std::move(*ptx);
    return true;
  }

  /// Without an assembler, the result is only PTX, which the driver assembles when the kernel is loaded.
  bool assemble(const CudaModule &built) {
    if (assembler.nvJitLink.empty() && assembler.ptxas.empty()) {
      describe(cuda::Cubin());
      return true;
    }
    warmUp.wait();
    // Kernels that move registers between warps distribute those of their own limit.
    StringRef ptx = compiled.object;
    bool isLimited = options.maxRegisters->has_value() || ptx.contains(".maxnreg") || ptx.contains("setmaxnreg");
    cuda::Block block = {built.threads, built.sharedBytes, built.overlap};
    auto cubin = compilation.timed("assemble", [&] {
      return isLimited ? cuda::assemble(ptx, *built.info, assembler)
                       : cuda::assembleForOccupancy(ptx, *built.info, assembler, block);
    });
    bool addsWarps = built.threads != tilegpu::threadsOf(module).count();
    if (!cubin) {
      lacksRegistersForProducers = addsWarps;
      return compilation.failWithModule("cubin", llvm::toString(cubin.takeError()));
    }
    if (compilation.wantsDump()) {
      compilation.dumpText("log", cubin->log);
    }
    bool isSlow = cubin->spillBytes != 0 || !cuda::findWgmmaRemarks(cubin->log).empty();
    if (addsWarps && isSlow && !options.specializeWarps->has_value()) {
      lacksRegistersForProducers = true;
      return false;
    }
    warnOfSerialization(*cubin);
    compiled.object = std::move(cubin->image);
    describe(*cubin);
    return true;
  }

  /// The results are right then, but the kernel takes far longer than its schedule promises.
  void warnOfSerialization(const cuda::Cubin &cubin) {
    std::vector<std::string> remarks = cuda::findWgmmaRemarks(cubin.log);
    if (!remarks.empty()) {
      mlir::emitWarning(module.getLoc()) << "the assembler executes the kernel's wgmma instructions one at a time: "
                                         << remarks.front();
    }
  }

  void describe(const cuda::Cubin &cubin) {
    compiled.metadata["registers"] = cubin.registers;
    compiled.metadata["spill_bytes"] = cubin.spillBytes;
    compiled.metadata["stack_bytes"] = cubin.stackBytes;
  }

  ModuleOp module;
  StringRef target;
  const hardware::Limits &limits;
  const CudaOptions &options;
  CompileFailure &failure;
  Compilation compilation;
  cuda::AssembleOptions assembler;
  AssemblerWarmUp warmUp;
  Compiled compiled;
  /// The assembler has no registers for the additional warps, or does not know the instructions that move registers.
  bool lacksRegistersForProducers = false;
};

} // namespace

std::optional<Compiled> compileForCuda(ModuleOp module, StringRef target, const hardware::Limits &limits,
                                       const CudaOptions &options, PhaseDump dump, CompileFailure &failure) {
  bool mayRetry = *options.groupMma && !hardware::lookupGpu(target)->groupMma.empty();
  OwningOpRef<ModuleOp> pristine = mayRetry ? module.clone() : ModuleOp(), copy;
  CudaOptions reduced;
  reduced.copy(options);
  while (true) {
    CudaCompilation attempt(module, target, limits, reduced, dump, failure);
    std::optional<Compiled> compiled = attempt.run();
    Retry retry = compiled || !mayRetry ? Retry::None : attempt.retry();
    if (retry == Retry::None) {
      return compiled;
    }
    copy = pristine->clone();
    module = *copy;
    failure = CompileFailure();
    if (retry == Retry::WithoutProducers) {
      reduced.specializeWarps.set(false);
    } else {
      mlir::emitWarning(module.getLoc())
          << "the accumulators of the kernel's wgmma instructions do not fit the "
             "registers, so that it uses mma.sync; smaller tiles or more warps avoid that";
      reduced.groupMma.set(false);
    }
  }
}

} // namespace tilewright
