// The kind of target "hip": AMD's GPUs. `hip:gfx942` is an architecture; what HIP adds to a device's name, such as
// `gfx942:sramecc+:xnack-`, is ignored: the code runs with each of these settings.

#include "tilewright/Pipeline/TargetKind.h"

#include "HipModule.h"

#include "tilewright/Hardware/Amd.h"

namespace tilewright {
namespace {

class HipTarget final : public TargetKind {
public:
  HipTarget() : TargetKind("hip") {}

  std::vector<std::string> architectures() const override {
    std::vector<std::string> names;
    for (const hardware::AmdInfo &info : hardware::amdTargets()) {
      names.emplace_back(info.name);
    }
    return names;
  }

  std::string summary() const override {
    std::string text = "hip";
    for (const std::string &arch : architectures()) {
      text += ", hip:" + arch;
    }
    return text;
  }

  std::optional<std::string> findArchitecture(llvm::StringRef text) const override {
    const hardware::AmdInfo *info = hardware::lookupAmd(text.split(':').first);
    return info ? std::optional<std::string>(info->name) : std::nullopt;
  }

  std::vector<llvm::StringRef> phases() const override {
    return {"source", "tile", "tilegpu", "thread", "llvm", "amdgcn"};
  }
  llvm::StringRef assemblyPhase() const override { return "amdgcn"; }
  llvm::StringRef codeName() const override { return "hsaco"; }
  /// In the names of files of the line table.
  bool embedsSourcePaths() const override { return true; }

  hardware::Limits limits(llvm::StringRef arch) const override {
    hardware::Limits limits;
    if (const hardware::AmdInfo *info = hardware::lookupAmd(arch)) {
      limits.threads = hardware::kAmdThreadsPerBlock;
      limits.lanesPerWarp = info->lanesPerWarp;
      limits.sharedBytes = info->sharedPerBlock;
      limits.registersPerThread = info->registersPerThread;
      limits.grid = {hardware::kAmdGridX, hardware::kAmdGridYZ, hardware::kAmdGridYZ};
    }
    return limits;
  }

  /// RDNA's local memory belongs to two compute units, a WGP.
  HardwareTerms terms(llvm::StringRef arch) const override {
    const hardware::AmdInfo *info = hardware::lookupAmd(arch);
    bool isPair = info && info->sharedPerSm > info->sharedPerBlock;
    return {"wave", isPair ? "WGP" : "compute unit", "LDS", "line", "phase", "matrix cores", "through registers"};
  }

  std::unique_ptr<CompileOptions> createOptions() const override { return std::make_unique<HipOptions>(); }
  void registerDialects(mlir::DialectRegistry &registry) const override { registerHipPipeline(registry); }
  void registerPipelines() const override { registerHipPipelines(); }

  std::optional<Compiled> compile(mlir::ModuleOp module, llvm::StringRef arch, const CompileOptions &options,
                                  PhaseDump dump, CompileFailure &failure) const override {
    return compileForHip(module, arch, limits(arch), static_cast<const HipOptions &>(options), std::move(dump),
                         failure);
  }

  bool isEmulated() const override { return true; }
  std::optional<GpuModule> buildForEmulation(mlir::ModuleOp module, llvm::StringRef arch, const GpuOptions &options,
                                             Compilation &compilation, CompileFailure &failure) const override {
    HipOptions own;
    own.copy(options);
    std::optional<HipModule> built = buildHipModule(module, arch, limits(arch), own, compilation, failure);
    return built ? std::optional<GpuModule>(std::move(*built)) : std::nullopt;
  }
};

} // namespace

const TargetKind &hipTarget() {
  static const HipTarget target;
  return target;
}

} // namespace tilewright
