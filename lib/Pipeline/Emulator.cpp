// Runs the phases of the pipeline for an emulated GPU: those for the GPU up to the module before machine code, then
// retargeting and the host's code generator.

#include "tilewright/Pipeline/Emulator.h"

#include "HostCode.h"
#include "tilewright/Emulator/Retarget.h"
#include "tilewright/Hardware/Gpu.h"
#include "tilewright/Pipeline/GpuModule.h"
#include "tilewright/Runtime/PrintBuffer.h"
#include "tilewright/Target/Host/Host.h"

using namespace mlir;

namespace tilewright {
namespace {

/// The first slots of the tensor maps, which are below all others: hidden slots precede slot 0, whose address is
/// aligned as the maps are.
std::vector<int> tensorMapSlots(ArrayRef<int> slots, size_t maps) {
  constexpr int kUnit = alignof(runtime::EncodedTensorMap) / sizeof(uint64_t);
  constexpr int kSlots = runtime::EncodedTensorMap::kBytes / sizeof(uint64_t);
  int lowest = slots.empty() ? 0 : std::min(*llvm::min_element(slots), 0);
  int end = -static_cast<int>(llvm::alignTo(-lowest, kUnit));
  std::vector<int> first;
  for (size_t map = 1; map <= maps; ++map) {
    first.push_back(end - static_cast<int>(map) * kSlots);
  }
  return first;
}

/// What distinguishes the architecture's instructions from others of the same names (RetargetOptions).
StringRef variantOf(StringRef arch) {
  const hardware::GpuInfo *gpu = hardware::lookupGpu(arch.str());
  bool hasFnuz = gpu && llvm::any_of(gpu->pairConversions, [](const hardware::PairConversion *row) {
                   return row->narrow == hardware::ElementType::E4M3FNUZ;
                 });
  return hasFnuz ? ".fnuz" : "";
}

class EmulatorCompilation {
public:
  EmulatorCompilation(ModuleOp module, const TargetKind &kind, StringRef arch, bool checked, const GpuOptions &options,
                      PhaseDump dump, CompileFailure &failure)
      : module(module), kind(kind), arch(arch), checked(checked), options(options), failure(failure),
        compilation(module, std::move(dump), failure) {}

  std::optional<Compiled> run() {
    std::optional<GpuModule> built = kind.buildForEmulation(module, arch, options, compilation, failure);
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
      (void)machine->release(); // NOLINT(bugprone-unused-return-value): leaked as GpuModule::leak() says
      return std::nullopt;
    }
    compiled.symbol = std::move(built->symbol);
    compiled.metadata["num_warps"] = *options.numWarps;
    compiled.metadata["threads"] = built->threads;
    compiled.metadata["lanes_per_warp"] = kind.limits(arch).lanesPerWarp.value_or(0);
    compiled.metadata["shared_bytes"] = built->sharedBytes;
    compiled.metadata["max_grid"] = llvm::json::Array(kind.limits(arch).grid);
    if (built->module->getGlobalVariable(runtime::kPrintBufferVariable)) {
      compiled.metadata["prints"] = true;
    }
    compiled.requirements = std::move(built->requirements);
    compiled.metadata["asserts"] = std::move(built->asserts);
    compiled.metadata["persistent"] = built->isPersistent;
    compiled.accesses = std::move(built->accesses);
    if (built->schedule) {
      compiled.metadata["schedule"] = std::move(*built->schedule);
    }
    compiled.seconds = std::move(compilation.seconds);
    return std::move(compiled);
  }

private:
  bool retarget(GpuModule &built, llvm::TargetMachine &machine) {
    std::vector<int> slots = built.slots, maps = tensorMapSlots(slots, built.tensorMaps.size());
    slots.insert(slots.end(), maps.begin(), maps.end());
    compiled.metadata["tensor_maps"] = llvm::json::Array(built.tensorMaps.encode());
    compiled.metadata["tensor_map_slots"] = llvm::json::Array(maps);
    emulator::RetargetOptions options = {slots, checked, variantOf(arch)};
    auto sites = compilation.timed("retarget",
                                   [&] { return emulator::retarget(*built.module, built.symbol, options, machine); });
    if (!sites) {
      return compilation.failWithModule("host", llvm::toString(sites.takeError()));
    }
    llvm::json::Array places;
    for (const emulator::Site &site : *sites) {
      places.push_back(llvm::json::Array{site.file, site.line, site.column, site.instruction});
    }
    compiled.metadata["sites"] = std::move(places);
    host::prepare(*built.module, machine);
    host::optimize(*built.module, machine);
    return true;
  }

  bool generateCode(GpuModule &built, llvm::TargetMachine &machine) {
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
  const TargetKind &kind;
  StringRef arch;
  const bool checked;
  const GpuOptions &options;
  CompileFailure &failure;
  Compilation compilation;
  Compiled compiled;
};

} // namespace

std::optional<Compiled> compileForEmulator(ModuleOp module, const TargetKind &kind, StringRef arch, bool checked,
                                           const GpuOptions &options, PhaseDump dump, CompileFailure &failure) {
  return EmulatorCompilation(module, kind, arch, checked, options, std::move(dump), failure).run();
}

} // namespace tilewright
