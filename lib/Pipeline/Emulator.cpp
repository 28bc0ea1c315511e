// Runs the phases of the pipeline for an emulated GPU: those for the GPU up to the module before PTX, then retargeting
// and the host's code generator.

#include "tilewright/Pipeline/Emulator.h"

#include "CudaModule.h"
#include "HostCode.h"
#include "tilewright/Emulator/Retarget.h"
#include "tilewright/Target/Host/Host.h"

using namespace mlir;

namespace tilewright {
namespace {

class EmulatorCompilation {
public:
  EmulatorCompilation(ModuleOp module, const EmulatorCompileOptions &options, CompileFailure &failure)
      : module(module), options(options), failure(failure), compilation(module, options.cuda.dump, failure) {}

  std::optional<CompiledForEmulator> run() {
    std::optional<CudaModule> made = makeCudaModule(module, options.cuda, compilation, failure);
    if (!made) {
      return std::nullopt;
    }
    auto machine = host::createTargetMachine(host::getHost());
    if (!machine) {
      compilation.fail("host", llvm::toString(machine.takeError()));
      return std::nullopt;
    }
    if (!retarget(*made, **machine)) {
      return std::nullopt;
    }
    if (!generateCode(*made, **machine)) {
      made->leak();
      (void)machine->release();
      return std::nullopt;
    }
    compiled.symbol = std::move(made->symbol);
    compiled.sharedBytes = made->sharedBytes;
    compiled.requirements = std::move(made->requirements);
    compiled.accesses = std::move(made->accesses);
    compiled.seconds = std::move(compilation.seconds);
    return std::move(compiled);
  }

private:
  bool retarget(CudaModule &made, llvm::TargetMachine &machine) {
    auto sites = compilation.timed("retarget", [&] {
      nvptx::mergeAccesses(*made.module, *made.machine);
      return emulator::retarget(*made.module, made.symbol, {made.slots, options.checked}, machine);
    });
    if (!sites) {
      return compilation.failWithModule("host", llvm::toString(sites.takeError()));
    }
    compiled.sites = std::move(*sites);
    host::prepare(*made.module, machine);
    host::optimize(*made.module, machine);
    return true;
  }

  bool generateCode(CudaModule &made, llvm::TargetMachine &machine) {
    if (compilation.wantsDump()) {
      dumpHostCode(compilation, "host", *made.module, machine);
    }
    auto object = compilation.timed("codegen", [&] { return host::emit(*made.module, machine, false); });
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
