// The kind of target "emulator": `emulator:cuda:90a` runs on the host the code that `cuda:90a` runs on a GPU.
// `emulator:cuda:90a+checks` is the same code with a call of the emulator at every memory access, to check and count
// them.

#include "tilewright/Pipeline/Emulator.h"
#include "tilewright/Pipeline/TargetKind.h"

#include "tilewright/Target/Host/Host.h"

#include "llvm/TargetParser/Triple.h"

namespace tilewright {
namespace {

constexpr llvm::StringLiteral kChecked = "+checks";
/// The kind of target that is emulated.
constexpr llvm::StringLiteral kEmulated = "cuda";

class EmulatorTarget final : public TargetKind {
public:
  EmulatorTarget() : TargetKind("emulator") {}

  std::vector<std::string> architectures() const override {
    std::vector<std::string> names = emulated().architectures();
    for (std::string &arch : names) {
      arch = (kEmulated + ":" + arch).str();
    }
    return names;
  }

  std::string summary() const override {
    std::string text;
    for (const std::string &arch : architectures()) {
      text += (text.empty() ? "emulator:" : ", emulator:") + arch;
    }
    return text;
  }

  std::optional<std::string> findArchitecture(llvm::StringRef text) const override {
    bool checked = text.consume_back(kChecked);
    if (!text.consume_front(kEmulated) || !text.consume_front(":")) {
      return std::nullopt;
    }
    std::optional<std::string> found = emulated().findArchitecture(text);
    return found ? std::optional((kEmulated + ":" + *found + (checked ? kChecked : "")).str()) : std::nullopt;
  }

  /// The key has the host's features because the code runs on the host.
  std::string key(llvm::StringRef arch) const override {
    return ("emulator:" + arch + " " + host::getHost().key()).str();
  }

  /// Only on x86-64 do addresses in shared memory fit in 32 bits, and are the kernel's faults caught.
  std::string whyNotRunnable(llvm::StringRef) const override {
    llvm::Triple triple(host::getHost().triple);
    return triple.getArch() == llvm::Triple::x86_64
               ? ""
               : "emulated GPUs run only on x86-64 processors, not on '" + triple.getArchName().str() + "'";
  }

  std::vector<llvm::StringRef> phases() const override {
    return {"source", "tile", "tilegpu", "thread", "llvm", "host", "asm"};
  }
  bool embedsSourcePaths() const override { return true; }

  std::unique_ptr<CompileOptions> createOptions() const override { return std::make_unique<CudaOptions>(); }
  void registerDialects(mlir::DialectRegistry &) const override {} // those of the emulated kind
  void registerPipelines() const override {}

  std::optional<Compiled> compile(mlir::ModuleOp module, llvm::StringRef arch, const CompileOptions &options,
                                  PhaseDump dump, CompileFailure &failure) const override {
    bool checked = arch.consume_back(kChecked);
    arch = arch.split(':').second;
    return compileForEmulator(module, arch, checked, static_cast<const CudaOptions &>(options), std::move(dump),
                              failure);
  }

private:
  static const TargetKind &emulated() { return *findTargetKind(kEmulated); }
};

} // namespace

const TargetKind &emulatorTarget() {
  static const EmulatorTarget target;
  return target;
}

} // namespace tilewright
