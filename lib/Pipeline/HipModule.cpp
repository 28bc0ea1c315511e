#include "HipModule.h"

#include "GpuModuleSteps.h"
#include "HostCode.h"
#include "ScheduleReport.h"

#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Target/Amdgpu/Amdgpu.h"
#include "tilewright/Target/Libraries.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace tilewright {
namespace {

class HipModuleBuilder {
public:
  HipModuleBuilder(ModuleOp module, StringRef target, const hardware::Limits &limits, const HipOptions &options,
                   Compilation &compilation, CompileFailure &failure)
      : module(module), target(target), limits(limits), options(options), compilation(compilation), failure(failure) {}

  std::optional<HipModule> run() {
    if (!prepare() || !runPhases() || !findKernel() || !optimize()) {
      return std::nullopt;
    }
    if (built.schedule) {
      (*built.schedule)["occupancy"] = describeOccupancy(*built.info, built.threads, 0, built.sharedBytes);
    }
    return std::move(built);
  }

private:
  bool prepare() {
    built.info = hardware::lookupAmd(target);
    if (!built.info) {
      return compilation.fail("target", ("unknown target '" + target + "'").str());
    }
    startAfter = parseHipPhase(*options.startAfter);
    if (!startAfter && !options.startAfter->empty()) {
      return compilation.fail("target", "start_after: there is no phase '" + *options.startAfter + "'");
    }
    int side = options.matrixInstrNonkdim;
    if (side != 0 && side != 16 && side != 32) {
      return compilation.fail("target", "matrix_instr_nonkdim must be 0, 16 or 32, not " + std::to_string(side));
    }
    std::optional<int> threads = checkThreads(target, limits, options, compilation, failure);
    built.threads = threads.value_or(0);
    return threads.has_value();
  }

  bool runPhases() {
    if (compilation.wantsDump()) {
      compilation.dumpModule("source");
    }
    schedule.start(module, options, compilation);
    for (HipPhase phase : {HipPhase::Tile, HipPhase::TileGPU, HipPhase::Thread, HipPhase::LLVM}) {
      if (startAfter >= phase) {
        continue;
      }
      bool ok = compilation.runPasses(
          stringifyPhase(phase), [&](OpPassManager &passes) { addHipPasses(passes, phase, target, options); },
          [&](ModuleOp result) { return verifyPhase(result, phase); }, phase != HipPhase::LLVM);
      if (phase == HipPhase::TileGPU) {
        schedule.finish(module, target, limits, options, compilation, built);
      }
      if (!ok) {
        failure.schedule = std::move(built.schedule);
        noteSharedMemory(module, limits, failure);
        return false;
      }
    }
    return true;
  }

  bool findKernel() {
    built.requirements = takeLaunchRequirements(module);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (function->hasAttr(ROCDL::ROCDLDialect::KernelAttrHelper::getNameStr())) {
        built.threads = tilegpu::launchedThreads(module).count();
        describeKernel(function, built);
        return true;
      }
    }
    return compilation.fail("thread", "the module has no kernel");
  }

  bool optimize() {
    return buildLLVMModule(module, amdgpu::createTargetMachine(*built.info),
                           {amdgpu::translate, amdgpu::optimize, "amdgcn"}, compilation, built);
  }

  ModuleOp module;
  StringRef target;
  const hardware::Limits &limits;
  const HipOptions &options;
  Compilation &compilation;
  CompileFailure &failure;
  std::optional<HipPhase> startAfter;
  ScheduleCollection schedule;
  HipModule built;
};

} // namespace

llvm::json::Object describeOccupancy(const hardware::AmdInfo &info, int threads, int registers, int64_t sharedBytes) {
  hardware::BlocksThatFit fit = hardware::blocksThatFit(info, threads, registers, sharedBytes);
  int warps = (threads + info.lanesPerWarp - 1) / info.lanesPerWarp;
  llvm::json::Object occupancy{{"programs", fit.fewest()}, {"warps", fit.byWarps}};
  if (fit.byBarriers) {
    occupancy["barriers"] = *fit.byBarriers;
  }
  if (fit.byShared) {
    occupancy["shared memory"] = *fit.byShared;
  }
  if (registers != 0) {
    occupancy["registers"] = fit.byRegisters;
    occupancy["simd_warps"] =
        llvm::json::Object{{"programs", static_cast<double>(fit.fewest() * warps) / hardware::kAmdSimdsPerSm},
                           {"registers", hardware::warpsThatFit(info, registers)},
                           {"most", info.warpsPerSimd}};
  }
  return occupancy;
}

std::optional<HipModule> buildHipModule(ModuleOp module, StringRef target, const hardware::Limits &limits,
                                        const HipOptions &options, Compilation &compilation, CompileFailure &failure) {
  return HipModuleBuilder(module, target, limits, options, compilation, failure).run();
}

} // namespace tilewright
