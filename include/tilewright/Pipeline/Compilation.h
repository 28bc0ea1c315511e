// The common part of compilations for all targets: running, verifying, timing and dumping phases.

#ifndef TILEWRIGHT_PIPELINE_COMPILATION_H
#define TILEWRIGHT_PIPELINE_COMPILATION_H

#include "tilewright/Pipeline/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

/// Called with the name of each phase and the IR after it. If empty, nothing is printed.
using PhaseDump = std::function<void(llvm::StringRef, llvm::StringRef)>;

/// A resource of which the kernel needs more than the target has.
struct TargetExcess {
  std::string resource; ///< "shared memory"
  int64_t required = 0;
  int64_t limit = 0;
};

/// The error of a compilation, and IR that reproduces it.
struct CompileFailure {
  std::string message;
  std::string phase;
  std::string reproducer;             ///< the module at the start of the failing phase
  std::optional<TargetExcess> excess; ///< set if the kernel exceeds a limit of the target
  /// What passes had decided, if the option `explain` asks for it.
  std::optional<llvm::json::Object> schedule;
};

/// A memory access with a bounds check; becomes a runtime::AccessSite.
struct AccessPlace {
  std::string kind;
  int64_t bytes;
  bool strict;
  std::string file;
  int64_t line;
  int64_t column;
};

/// The checked accesses of a kernel, by the indices that its code reports; empty if it checks none.
std::vector<AccessPlace> readCheckedAccesses(mlir::Operation *kernel);

/// The assertions of a kernel for its metadata: [message, file, line, column] of each, by the numbers that its code
/// reports.
llvm::json::Array readAsserts(mlir::Operation *kernel);

/// What the launcher has to check before it uses compiled code.
struct LaunchRequirements {
  std::vector<int64_t> conditions;   ///< Runtime/LaunchConditions.h
  std::vector<int64_t> writtenSlots; ///< of the arguments whose memory must be writable
};

/// The result of a compilation.
struct Compiled {
  std::string object; ///< machine code, such as a relocatable object file or a cubin
  std::string symbol; ///< its entry point
  LaunchRequirements requirements;
  std::vector<AccessPlace> accesses;                   ///< by the indices that code with bounds checks reports
  std::vector<std::pair<std::string, double>> seconds; ///< per phase and step, in order
  /// What loading, launching and describing code of this kind of target needs. Stored in the cache.
  llvm::json::Object metadata;
  /// Texts that are kept in the cache besides the code, by the names of their phases.
  std::map<std::string, std::string> texts;
};

/// A running compilation.
class Compilation {
public:
  Compilation(mlir::ModuleOp module, PhaseDump dump, CompileFailure &failure);

  /// Adds passes, runs them and verifies the result. Returns false and sets `failure` if one of these steps fails.
  bool runPasses(llvm::StringRef phase, llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
                 llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp)> verify, bool dumpAfter = true);

  /// Runs a step without passes and records its duration.
  template <typename Step> auto timed(llvm::StringRef name, Step step) {
    auto start = std::chrono::steady_clock::now();
    auto result = step();
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    seconds.emplace_back(name.str(), elapsed.count());
    return result;
  }

  /// Sets `failure` and returns false.
  bool fail(llvm::StringRef phase, std::string message);
  /// The same, with the current module as the reproducer.
  bool failWithModule(llvm::StringRef phase, std::string message);

  bool wantsDump() const { return bool(dump); }
  void dumpText(llvm::StringRef phase, llvm::StringRef text) const { dump(phase, text); }
  void dumpModule(llvm::StringRef phase) const;

  /// The duration of each phase and step, in order.
  std::vector<std::pair<std::string, double>> seconds;

  /// Adds instrumentations to the pass manager of each phase; may be empty.
  std::function<void(mlir::PassManager &)> instrument;

private:
  mlir::ModuleOp module;
  PhaseDump dump;
  CompileFailure &failure;
};

/// Emits an error on the first operation in the module for which `fits` returns false.
mlir::LogicalResult verifyOperations(mlir::ModuleOp module, llvm::StringRef phase,
                                     llvm::function_ref<bool(mlir::Operation *)> fits);

/// Adds the passes of the tile phase, which all targets share: inlining and simplifications on tiles. With
/// `specializeRanges`, the code may depend on conditions checked at each launch.
void addTilePasses(mlir::OpPassManager &passes, const CompileOptions &options);

/// Registers the interfaces of operations that the tile phase and the analyses need.
void registerTilePhase(mlir::DialectRegistry &registry);
mlir::LogicalResult verifyTilePhase(mlir::ModuleOp module);

/// Returns what the tile phase recorded on the module, and removes it.
LaunchRequirements takeLaunchRequirements(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_COMPILATION_H
