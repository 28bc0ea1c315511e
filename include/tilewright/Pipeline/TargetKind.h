// Kinds of targets. A target is written `kind` or `kind:architecture`: "cpu", "cuda:90a", "emulator:cuda:90a+checks".
// Everything that shared code has to know about compiling for a kind is in an object of the class TargetKind;
// include/tilewright/Target/TargetKinds.def registers it. What concerns devices and launches is in
// include/tilewright/Launcher/DeviceKind.h and Load.h.

#ifndef TILEWRIGHT_PIPELINE_TARGETKIND_H
#define TILEWRIGHT_PIPELINE_TARGETKIND_H

#include "tilewright/Hardware/Limits.h"
#include "tilewright/Pipeline/Compilation.h"
#include "tilewright/Pipeline/Options.h"

#include "mlir/IR/DialectRegistry.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

struct GpuModule;

/// What a vendor calls the parts of its GPUs, in reports for users.
struct HardwareTerms {
  llvm::StringRef warp = "warp", multiprocessor = "multiprocessor", shared = "shared memory";
  llvm::StringRef transfer = "sector";     ///< the piece in which global memory is transferred
  llvm::StringRef wavefront = "wavefront"; ///< an access of every bank of shared memory
  llvm::StringRef matrixUnits = "tensor cores";
  llvm::StringRef copiesAhead = "asynchronous"; ///< how loops copy to shared memory ahead
};

class TargetKind {
public:
  explicit TargetKind(const char *name) : name(name) {}
  virtual ~TargetKind() = default;

  const llvm::StringRef name;

  //===--------------------------------------------------------------------===//
  // Names
  //===--------------------------------------------------------------------===//

  /// The names that can follow "kind:".
  virtual std::vector<std::string> architectures() const = 0;
  /// The targets of the kind, as text for the user.
  virtual std::string summary() const = 0;
  /// The canonical name of an architecture; nothing if there is no such one. "" is an architecture if the kind has one
  /// without a name, such as the host's processor.
  virtual std::optional<std::string> findArchitecture(llvm::StringRef text) const = 0;

  //===--------------------------------------------------------------------===//
  // Properties
  //===--------------------------------------------------------------------===//

  /// All that the code for an architecture depends on, for cache keys; without external tools.
  virtual std::string key(llvm::StringRef arch) const { return (name + ":" + arch).str(); }
  /// Why this machine's processor can't run code for an architecture; empty if it can, or if a device runs the code.
  virtual std::string whyNotRunnable(llvm::StringRef arch) const { return ""; }
  /// The names under which the phases are dumped, in order, and the one that is assembly.
  virtual std::vector<llvm::StringRef> phases() const = 0;
  virtual llvm::StringRef assemblyPhase() const { return "asm"; }
  /// What the machine code is called: "obj" for an object file.
  virtual llvm::StringRef codeName() const { return "obj"; }
  /// Whether compiled code contains the full paths of the sources.
  virtual bool embedsSourcePaths() const { return false; }
  /// What a kernel may use at most. A device in this machine may have less.
  virtual hardware::Limits limits(llvm::StringRef arch) const { return {}; }
  /// What the vendor calls the parts of an architecture.
  virtual HardwareTerms terms(llvm::StringRef arch) const { return {}; }

  //===--------------------------------------------------------------------===//
  // Compiling
  //===--------------------------------------------------------------------===//

  /// Its options, with their defaults.
  virtual std::unique_ptr<CompileOptions> createOptions() const = 0;

  /// Registers the dialects and interfaces that the kind's phases need in addition to the front end's.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;
  /// Registers the passes of each phase as a pass pipeline for command lines, such as `cpu-tile`.
  virtual void registerPipelines() const = 0;

  /// Compiles a module with one kernel, which is consumed. `options` are from createOptions(). Diagnostics go to the
  /// context's handler. On failure the result is empty and `failure` is set.
  virtual std::optional<Compiled> compile(mlir::ModuleOp module, llvm::StringRef arch, const CompileOptions &options,
                                          PhaseDump dump, CompileFailure &failure) const = 0;

  //===--------------------------------------------------------------------===//
  // Emulation of GPUs (EmulatorTarget.cpp)
  //===--------------------------------------------------------------------===//

  /// Whether the target `emulator:kind:arch` runs the kind's code on the host.
  virtual bool isEmulated() const { return false; }
  /// For such a kind: runs the phases up to the module from which the code generator would make machine code
  /// (GpuModule.h). Sets `failure` if it returns nothing.
  virtual std::optional<GpuModule> buildForEmulation(mlir::ModuleOp module, llvm::StringRef arch,
                                                     const GpuOptions &options, Compilation &compilation,
                                                     CompileFailure &failure) const;
};

/// All kinds of targets.
llvm::ArrayRef<const TargetKind *> targetKinds();
/// Null if there is no such kind.
const TargetKind *findTargetKind(llvm::StringRef name);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_TARGETKIND_H
