// The pipeline for the host, phase by phase.

#ifndef TILEWRIGHT_PIPELINE_CPU_H
#define TILEWRIGHT_PIPELINE_CPU_H

#include "tilewright/Pipeline/Compilation.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace tilewright {

/// Phases are named after their results.
enum class CpuPhase { Tile, Vector, LLVM, Object };

llvm::StringRef stringifyPhase(CpuPhase phase);

struct CpuPassOptions {
  std::string features;         ///< CPU features in LLVM's notation
  bool specializeRanges = true; ///< let index arithmetic depend on launch conditions
  bool checkBounds = false;     ///< check memory accesses against the launch's arrays
};

/// Adds the passes of one phase; Object has none, as LLVM emits it.
void addCpuPasses(mlir::OpPassManager &passes, CpuPhase phase, const CpuPassOptions &options);

/// Verifies that the module has the form required at the end of the phase; emits an error on the offending operation.
mlir::LogicalResult verifyPhase(mlir::ModuleOp module, CpuPhase phase);

/// Registers the pass pipelines `cpu-tile`, `cpu-vector` and `cpu-llvm` for command lines, one for each phase.
void registerCpuPipelines();

/// Registers the dialects and interfaces that the pipeline needs in addition to the front end's.
void registerCpuPipeline(mlir::DialectRegistry &registry);

/// An assertion of the kernel; the n-th one returns the status n, counted from 1.
struct KernelAssert {
  std::string message;
  std::string file;
  int64_t line;
  int64_t column;
};

struct CompiledForCpu {
  std::string object; ///< relocatable object file
  std::string symbol; ///< its entry point, a runtime::KernelFunction
  int64_t scratchBytes = 0;
  std::vector<KernelAssert> asserts;
  LaunchRequirements requirements;
  std::vector<AccessPlace> accesses;                   ///< by the indices that the code passes to the runtime
  std::vector<std::pair<std::string, double>> seconds; ///< per phase, in order
};

struct CpuCompileOptions {
  std::string target = "cpu";
  bool specializeRanges = true; ///< let index arithmetic depend on launch conditions
  /// Whether the code checks bounds, for which a launch must provide runtime::AccessChecks.
  bool checkBounds = false;
  /// Called for "source", "tile", "vector", "llvm" (optimized LLVM IR) and "asm".
  PhaseDump dump;
};

/// Compiles a module with one kernel, which is consumed. Diagnostics go to the context's handler. On failure the result
/// is empty and `failure` is set.
std::optional<CompiledForCpu> compileForCpu(mlir::ModuleOp module, const CpuCompileOptions &options,
                                            CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_CPU_H
