// The kind of target "cuda": NVIDIA's GPUs. `cuda:90a` is an architecture; `cuda:sm_90a` and `cuda:90` are aliases.

#include "tilewright/Pipeline/Cuda.h"
#include "tilewright/Pipeline/TargetKind.h"

#include "tilewright/Hardware/Nvidia.h"

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

  std::unique_ptr<CompileOptions> createOptions() const override { return std::make_unique<CudaOptions>(); }
  void registerDialects(mlir::DialectRegistry &registry) const override { registerCudaPipeline(registry); }
  void registerPipelines() const override { registerCudaPipelines(); }

  std::optional<Compiled> compile(mlir::ModuleOp module, llvm::StringRef arch, const CompileOptions &options,
                                  PhaseDump dump, CompileFailure &failure) const override {
    return compileForCuda(module, arch, static_cast<const CudaOptions &>(options), std::move(dump), failure);
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
