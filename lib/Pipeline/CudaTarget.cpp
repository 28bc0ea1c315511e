// The kind of target "cuda": NVIDIA's GPUs. `cuda:90a` is an architecture; `cuda:sm_90a` and `cuda:90` are aliases.

#include "tilewright/Pipeline/TargetKind.h"

#include "CudaModule.h"

#include "tilewright/Target/Nvptx/Nvptx.h"

namespace tilewright {
namespace {

class CudaTarget final : public TargetKind {
public:
  CudaTarget() : TargetKind("cuda") {}

  std::vector<std::string> architectures() const override {
    std::vector<std::string> names;
    for (const hardware::NvidiaInfo &info : hardware::nvidiaTargets()) {
      names.push_back(nameOf(info).str());
    }
    return names;
  }

  std::string summary() const override {
    std::string text = "cuda";
    for (const std::string &arch : architectures()) {
      text += ", cuda:" + arch;
    }
    return text;
  }

  std::optional<std::string> findArchitecture(llvm::StringRef text) const override {
    text.consume_front("sm_");
    for (const hardware::NvidiaInfo &info : hardware::nvidiaTargets()) {
      // Code is always generated for one specific architecture, which the suffix "a" denotes.
      llvm::StringRef name = nameOf(info), generation = name;
      generation.consume_back("a");
      if (text == name || text == generation) {
        return name.str();
      }
    }
    return std::nullopt;
  }

  std::vector<llvm::StringRef> phases() const override {
    return {"source", "tile", "tilegpu", "thread", "llvm", "ptx", "log"};
  }
  llvm::StringRef assemblyPhase() const override { return "ptx"; }
  llvm::StringRef codeName() const override { return "cubin"; }
  hardware::Limits limits(llvm::StringRef arch) const override {
    hardware::Limits limits;
    if (const hardware::NvidiaInfo *info = hardware::lookupNvidia(arch)) {
      limits.threads = hardware::kThreadsPerBlock;
      limits.lanesPerWarp = hardware::kLanesPerWarp;
      limits.sharedBytes = info->sharedPerBlock;
      limits.registers = hardware::kRegistersPerSm;
      limits.registersPerThread = hardware::kRegistersPerThread;
      limits.grid = {hardware::kGridX, hardware::kGridYZ, hardware::kGridYZ};
    }
    return limits;
  }

  std::unique_ptr<CompileOptions> createOptions() const override { return std::make_unique<CudaOptions>(); }
  void registerDialects(mlir::DialectRegistry &registry) const override { registerCudaPipeline(registry); }
  void registerPipelines() const override { registerCudaPipelines(); }

  std::optional<Compiled> compile(mlir::ModuleOp module, llvm::StringRef arch, const CompileOptions &options,
                                  PhaseDump dump, CompileFailure &failure) const override {
    return compileForCuda(module, arch, limits(arch), static_cast<const CudaOptions &>(options), std::move(dump),
                          failure);
  }

  bool isEmulated() const override { return true; }
  std::optional<GpuModule> buildForEmulation(mlir::ModuleOp module, llvm::StringRef arch, const GpuOptions &options,
                                             Compilation &compilation, CompileFailure &failure) const override {
    CudaOptions own;
    own.copy(options);
    own.definesAccumulators = false; // so that a dot that reads an undefined accumulator shows
    std::optional<CudaModule> built = buildCudaModule(module, arch, limits(arch), own, compilation, failure);
    if (!built) {
      return std::nullopt;
    }
    nvptx::mergeAccesses(*built->module, *built->machine); // as the code generator for PTX does
    return std::move(*built);
  }

private:
  static llvm::StringRef nameOf(const hardware::NvidiaInfo &info) {
    llvm::StringRef name = info.name;
    name.consume_front("sm_");
    return name;
  }
};

} // namespace

const TargetKind &cudaTarget() {
  static const CudaTarget target;
  return target;
}

} // namespace tilewright
