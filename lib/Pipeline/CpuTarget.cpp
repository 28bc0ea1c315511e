// The kind of target "cpu": the host's processor, or another processor ("cpu:avx2", "cpu:neoverse-v2").

#include "tilewright/Pipeline/Cpu.h"
#include "tilewright/Pipeline/TargetKind.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Triple.h"

namespace tilewright {
namespace {

class CpuTarget final : public TargetKind {
public:
  CpuTarget() : TargetKind("cpu") {}

  /// The levels, then LLVM's names of processors.
  std::vector<std::string> architectures() const override {
    std::vector<std::string> names;
    for (const host::Level &level : host::levels()) {
      names.push_back(level.name.str());
    }
    for (const host::Level &level : host::levels()) {
      names.insert(names.end(), level.processors.begin(), level.processors.end());
    }
    return names;
  }

  std::string summary() const override {
    std::string text = "cpu", processors;
    for (const host::Level &level : host::levels()) {
      text += ", cpu:" + level.name.str();
      processors += (processors.empty() ? "" : ", ") + llvm::join(level.processors, ", ");
    }
    return text + ", or cpu: and one of " + processors;
  }

  std::optional<std::string> findArchitecture(llvm::StringRef text) const override {
    if (text.empty() || text == "host") {
      return "";
    }
    return llvm::is_contained(architectures(), text) ? std::optional<std::string>(text.str()) : std::nullopt;
  }

  std::string key(llvm::StringRef arch) const override {
    llvm::Expected<host::HostTarget> target = host::lookUpProcessor(arch);
    return target ? "cpu:" + target->key() : "cpu: " + llvm::toString(target.takeError());
  }

  std::string whyNotRunnable(llvm::StringRef arch) const override {
    std::string reason;
    if (std::optional<host::Architecture> foreign = host::findForeignArchitecture(arch)) {
      reason = ("it is for " + host::stringifyArchitecture(*foreign) + ", and this machine is " +
                llvm::Triple(host::getHost().triple).getArchName())
                   .str();
    } else if (std::vector<llvm::StringRef> missing = host::missingFeatures(arch); !missing.empty()) {
      reason = "the processor lacks " + llvm::join(missing, ", ");
    }
    return reason.empty() ? ""
                          : reason + "\nhint: `tilewright compile` prints code for other processors without running it";
  }

  std::vector<llvm::StringRef> phases() const override { return {"source", "tile", "vector", "llvm", "asm"}; }

  std::unique_ptr<CompileOptions> createOptions() const override { return std::make_unique<CompileOptions>(); }
  void registerDialects(mlir::DialectRegistry &registry) const override { registerCpuPipeline(registry); }
  void registerPipelines() const override { registerCpuPipelines(); }

  std::optional<Compiled> compile(mlir::ModuleOp module, llvm::StringRef arch, const CompileOptions &options,
                                  PhaseDump dump, CompileFailure &failure) const override {
    llvm::Expected<host::HostTarget> target = host::lookUpProcessor(arch);
    if (!target) {
      failure.phase = "target";
      failure.message = llvm::toString(target.takeError());
      return std::nullopt;
    }
    return compileForCpu(module, *target, options, std::move(dump), failure);
  }
};

} // namespace

const TargetKind &cpuTarget() {
  static const CpuTarget target;
  return target;
}

} // namespace tilewright
