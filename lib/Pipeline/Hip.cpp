// Runs the phases of the pipeline for AMD GPUs.

#include "HipModule.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Runtime/PrintBuffer.h"
#include "tilewright/Target/Amdgpu/Amdgpu.h"
#include "tilewright/Target/Amdgpu/KernelNotes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

namespace tilewright {
namespace {

class HipCompilation {
public:
  HipCompilation(ModuleOp module, StringRef target, const hardware::Limits &limits, const HipOptions &options,
                 PhaseDump dump, CompileFailure &failure)
      : module(module), target(target), limits(limits), options(options), failure(failure),
        compilation(module, std::move(dump), failure) {}

  std::optional<Compiled> run() {
    std::optional<HipModule> built = buildHipModule(module, target, limits, options, compilation, failure);
    if (!built || !dumpAssembly(*built) || !generate(*built) || !describe(*built)) {
      return std::nullopt;
    }
    compiled.symbol = std::move(built->symbol);
    compiled.requirements = std::move(built->requirements);
    if (prints) {
      compiled.metadata["prints"] = true;
    }
    compiled.metadata["num_warps"] = *options.numWarps;
    compiled.metadata["threads"] = built->threads;
    compiled.metadata["shared_bytes"] = built->sharedBytes;
    compiled.metadata["slots"] = llvm::json::Array(built->slots);
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

private:
  /// The text of the instructions is for people only, so it is made where a phase is dumped.
  bool dumpAssembly(HipModule &built) {
    if (!compilation.wantsDump()) {
      return true;
    }
    // Emit a copy because the code generator modifies the module.
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*built.module);
    auto text = amdgpu::emitAssembly(*copy, *built.machine);
    if (!text) {
      (void)copy.release(); // NOLINT(bugprone-unused-return-value): leaked: LLVM may have left it inconsistent
      built.leak();
      return compilation.failWithModule("amdgcn", llvm::toString(text.takeError()));
    }
    compilation.dumpText("amdgcn", *text);
    return true;
  }

  bool generate(HipModule &built) {
    prints = built.module->getGlobalVariable(runtime::kPrintBufferVariable) != nullptr;
    auto object = compilation.timed("amdgcn", [&] { return amdgpu::emitObject(*built.module, *built.machine); });
    if (!object) {
      built.leak();
      return compilation.failWithModule("amdgcn", llvm::toString(object.takeError()));
    }
    auto linked = compilation.timed("link", [&] { return amdgpu::link(*object); });
    if (!linked) {
      return compilation.failWithModule("hsaco", llvm::toString(linked.takeError()));
    }
    compiled.object = std::move(*linked);
    return true;
  }

  bool describe(const HipModule &built) {
    auto notes = amdgpu::readNotes(compiled.object);
    if (!notes) {
      return compilation.failWithModule("hsaco", llvm::toString(notes.takeError()));
    }
    const amdgpu::KernelNotes *kernel = notes->find(built.symbol);
    if (!kernel) {
      return compilation.failWithModule("hsaco", "the code object has no kernel '" + built.symbol + "'");
    }
    constexpr int64_t kRegisterBytes = 4;
    compiled.metadata["registers"] = kernel->vectorRegisters;
    compiled.metadata["accumulators"] = kernel->accumulationRegisters;
    compiled.metadata["scalar_registers"] = kernel->scalarRegisters;
    compiled.metadata["spill_bytes"] = kRegisterBytes * kernel->vectorSpills;
    compiled.metadata["stack_bytes"] = kernel->scratchBytes;
    compiled.metadata["warps_per_simd"] =
        hardware::warpsThatFit(*built.info, static_cast<int>(kernel->vectorRegisters));
    return true;
  }

  ModuleOp module;
  StringRef target;
  const hardware::Limits &limits;
  const HipOptions &options;
  CompileFailure &failure;
  Compilation compilation;
  Compiled compiled;
  bool prints = false;
};

/// Whether loops may hold the next iteration's data in registers: others need not be compiled again if they spill.
bool loadsInLoops(ModuleOp module) {
  auto isInLoop = [](tile::LoadOp load) {
    return load->getParentOfType<scf::ForOp>() ? WalkResult::interrupt() : WalkResult::advance();
  };
  return module.walk(isInLoop).wasInterrupted();
}

} // namespace

std::optional<Compiled> compileForHip(ModuleOp module, StringRef target, const hardware::Limits &limits,
                                      const HipOptions &options, PhaseDump dump, CompileFailure &failure) {
  OwningOpRef<ModuleOp> pristine = *options.prefetch && loadsInLoops(module) ? module.clone() : ModuleOp();
  std::optional<Compiled> compiled = HipCompilation(module, target, limits, options, dump, failure).run();
  if (!compiled || !pristine || compiled->metadata.getInteger("spill_bytes") == 0) {
    return compiled;
  }
  HipOptions reduced;
  reduced.copy(options);
  reduced.prefetch = false; // leaves registers for everything else
  return HipCompilation(*pristine, target, limits, reduced, std::move(dump), failure).run();
}

} // namespace tilewright
