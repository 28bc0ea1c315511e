// What compilations for all targets have in common: phases that are run, verified, timed and dumped one after the
// other.

#ifndef TILEWRIGHT_PIPELINE_COMPILATION_H
#define TILEWRIGHT_PIPELINE_COMPILATION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

/// Called with the name of each phase and the text at its end. Empty: nothing is printed.
using PhaseDump = std::function<void(llvm::StringRef, llvm::StringRef)>;

/// More than a target has of something.
struct TargetExcess {
  std::string resource; ///< "shared memory"
  int64_t required = 0;
  int64_t limit = 0;
};

/// What went wrong and the IR with which it can be repeated.
struct CompileFailure {
  std::string message;
  std::string phase;
  std::string reproducer;             ///< the module at the start of the failing phase
  std::optional<TargetExcess> excess; ///< where the kernel asks for too much
};

/// An access of memory whose bounds the code checks: a runtime::AccessSite.
struct AccessPlace {
  std::string kind;
  int64_t bytes;
  bool strict;
  std::string file;
  int64_t line;
  int64_t column;
};

/// Those of a kernel, by the numbers that its code reports; empty where it checks nothing.
std::vector<AccessPlace> readCheckedAccesses(mlir::Operation *kernel);

/// One compilation under way.
class Compilation {
public:
  Compilation(mlir::ModuleOp module, PhaseDump dump, CompileFailure &failure);

  /// Adds passes, runs them, verifies what they leave. False when one of them failed, with `failure` filled.
  bool runPasses(llvm::StringRef phase, llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
                 llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp)> verify, bool dumpAfter = true);

  /// Runs one step that has no passes, and notes how long it took.
  template <typename Step> auto timed(llvm::StringRef name, Step step) {
    auto start = std::chrono::steady_clock::now();
    auto result = step();
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    seconds.emplace_back(name.str(), elapsed.count());
    return result;
  }

  /// Fills `failure`; false, so that it can be returned.
  bool fail(llvm::StringRef phase, std::string message);
  /// The same, and keeps the module as it is now for a reproducer.
  bool failWithModule(llvm::StringRef phase, std::string message);

  bool wantsDump() const { return bool(dump); }
  void dumpText(llvm::StringRef phase, llvm::StringRef text) const { dump(phase, text); }
  void dumpModule(llvm::StringRef phase) const;

  /// Per phase and step, in order.
  std::vector<std::pair<std::string, double>> seconds;

private:
  mlir::ModuleOp module;
  PhaseDump dump;
  CompileFailure &failure;
};

/// Reports the first operation in the module that `fits` denies.
mlir::LogicalResult verifyOperations(mlir::ModuleOp module, llvm::StringRef phase,
                                     llvm::function_ref<bool(mlir::Operation *)> fits);

/// The phase that all targets share: one function, simplified while it is still about whole tiles.
/// With `specializeRanges` it may assume what each launch checks.
void addTilePasses(mlir::OpPassManager &passes, bool specializeRanges);
mlir::LogicalResult verifyTilePhase(mlir::ModuleOp module);

/// What the tile phase assumed of launches (Runtime/LaunchConditions.h), which the module then no longer says.
std::vector<int64_t> takeLaunchConditions(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_COMPILATION_H
