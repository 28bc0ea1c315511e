// Runs the phases of the pipeline for an emulated GPU: those for the GPU up to the module before PTX, then retargeting
// and the host's code generator.

#include "tilewright/Pipeline/Emulator.h"

#include "CudaModule.h"
#include "HostCode.h"
#include "tilewright/Emulator/Retarget.h"
#include "tilewright/Target/Host/Host.h"
#include "tilewright/Target/Nvptx/Nvptx.h"

using namespace mlir;

namespace tilewright {
namespace {

class EmulatorCompilation {
public:
  EmulatorCompilation(ModuleOp module, const EmulatorCompileOptions &options, CompileFailure &failure)
      : module(module), options(options), failure(failure), compilation(module, options.cuda.dump, failure) {}

  std::optional<CompiledForEmulator> run() {
    std::optional<CudaModule> built = buildCudaModule(module, options.cuda, compilation, failure);
    if (!built) {
      return std::nullopt;
    }
    auto machine = host::createTargetMachine(host::getHost());
    if (!machine) {
      compilation.fail("host", llvm::toString(machine.takeError()));
      return std::nullopt;
    }
    if (!retarget(*built, **machine)) {
      return std::nullopt;
    }
    if (!generateCode(*built, **machine)) {
      built->leak();
      (void)machine->release();
      return std::nullopt;
    }
    compiled.symbol = std::move(built->symbol);
    compiled.sharedBytes = built->sharedBytes;
    compiled.requirements = std::move(built->requirements);
    compiled.accesses = std::move(built->accesses);
    compiled.seconds = std::move(compilation.seconds);
    return std::move(compiled);
  }

private:
  bool retarget(CudaModule &built, llvm::TargetMachine &machine) {
    auto sites = compilation.timed("retarget", [&] {
      nvptx::mergeAccesses(*built.module, *built.machine);
      return emulator::retarget(*built.module, built.symbol, {built.slots, options.checked}, machine);
    });
    if (!sites) {
      return compilation.failWithModule("host", llvm::toString(sites.takeError()));
    }
    compiled.sites = std::move(*sites);
    host::prepare(*built.module, machine);
    host::optimize(*built.module, machine);
    return true;
  }

  bool generateCode(CudaModule &built, llvm::TargetMachine &machine) {
    if (compilation.wantsDump()) {
      dumpHostCode(compilation, "host", *built.module, machine);
    }
    auto object = compilation.timed("codegen", [&] { return host::emit(*built.module, machine, false); });
    if (!object) {
      return compilation.failWithModule("object", llvm::toString(object.takeError()));
    }
    compiled.object.assign(object->begin(), object->end());
    return true;
  }

  ModuleOp module;
  const EmulatorCompileOptions &options;
  CompileFailure &failure;
  Compilation compilation;
  CompiledForEmulator compiled;
};

} // namespace

std::optional<CompiledForEmulator> compileForEmulator(ModuleOp module, const EmulatorCompileOptions &options,
                                                      CompileFailure &failure) {
  return EmulatorCompilation(module, options, failure).run();
}

} // namespace tilewright
