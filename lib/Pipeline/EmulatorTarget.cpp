// The kind of target "emulator": `emulator:cuda:90a` runs on the host the code that `cuda:90a` runs on a GPU, and
// likewise for the architectures of every kind that can be emulated. `emulator:cuda:90a+checks` is the same code with a
// call of the emulator at every memory access, to check and count them.

#include "tilewright/Pipeline/Emulator.h"
#include "tilewright/Pipeline/TargetKind.h"

#include "tilewright/Target/Host/Host.h"

#include "llvm/TargetParser/Triple.h"

namespace tilewright {
namespace {

constexpr llvm::StringLiteral kChecked = "+checks";

/// An architecture of the emulator: "cuda:90a+checks".
struct Emulated {
  const TargetKind *kind = nullptr; ///< null if there is no such kind, or it can't be emulated
  llvm::StringRef arch;
  bool isChecked;

  explicit Emulated(llvm::StringRef text) : isChecked(text.consume_back(kChecked)) {
    auto [name, rest] = text.split(':');
    const TargetKind *found = findTargetKind(name);
    kind = found && found->isEmulated() ? found : nullptr;
    arch = rest;
  }
};

class EmulatorTarget final : public TargetKind {
public:
  EmulatorTarget() : TargetKind("emulator") {}

  std::vector<std::string> architectures() const override {
    std::vector<std::string> names;
    for (const TargetKind *kind : targetKinds()) {
      for (const std::string &arch : kind->isEmulated() ? kind->architectures() : std::vector<std::string>()) {
        names.push_back((kind->name + ":" + arch).str());
      }
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
    Emulated emulated(text);
    std::optional<std::string> found = emulated.kind ? emulated.kind->findArchitecture(emulated.arch) : std::nullopt;
    if (!found) {
      return std::nullopt;
    }
    return (emulated.kind->name + ":" + *found + (emulated.isChecked ? kChecked : "")).str();
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

  hardware::Limits limits(llvm::StringRef arch) const override {
    Emulated emulated(arch);
    return emulated.kind ? emulated.kind->limits(emulated.arch) : hardware::Limits();
  }

  HardwareTerms terms(llvm::StringRef arch) const override {
    Emulated emulated(arch);
    return emulated.kind ? emulated.kind->terms(emulated.arch) : HardwareTerms();
  }

  std::unique_ptr<CompileOptions> createOptions() const override { return std::make_unique<GpuOptions>(); }
  void registerDialects(mlir::DialectRegistry &) const override {} // those of the emulated kinds
  void registerPipelines() const override {}

  std::optional<Compiled> compile(mlir::ModuleOp module, llvm::StringRef arch, const CompileOptions &options,
                                  PhaseDump dump, CompileFailure &failure) const override {
    Emulated emulated(arch);
    if (!emulated.kind) {
      failure.phase = "target";
      failure.message = ("there is no GPU '" + arch + "' to emulate").str();
      return std::nullopt;
    }
    return compileForEmulator(module, *emulated.kind, emulated.arch, emulated.isChecked,
                              static_cast<const GpuOptions &>(options), std::move(dump), failure);
  }
};

} // namespace

const TargetKind &emulatorTarget() {
  static const EmulatorTarget target;
  return target;
}

} // namespace tilewright
