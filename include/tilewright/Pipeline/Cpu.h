// The way of a kernel to the host, phase by phase.

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

/// What stands at the end of a phase is named after it.
enum class CpuPhase { Tile, Vector, LLVM, Object };

llvm::StringRef stringifyPhase(CpuPhase phase);

struct CpuPassOptions {
  std::string features;         ///< the processor's, in LLVM's notation
  bool specializeRanges = true; ///< assume of index arithmetic what each launch checks
  bool checkBounds = false;     ///< compare accesses of memory with a launch's arrays
};

/// Adds the passes of one phase; Object has none, it is LLVM's.
void addCpuPasses(mlir::OpPassManager &passes, CpuPhase phase, const CpuPassOptions &options);

/// Whether the module has the form in which the phase must leave it; says on
/// the offending operation what it should not be.
mlir::LogicalResult verifyPhase(mlir::ModuleOp module, CpuPhase phase);

/// Makes `cpu-tile`, `cpu-vector` and `cpu-llvm` known to a command line, each
/// the passes of one phase with the option `features`.
void registerCpuPipelines();

/// Loads dialects and interfaces that the pipeline needs beyond the front end's.
void registerCpuPipeline(mlir::DialectRegistry &registry);

/// An assertion of the kernel; the n-th one returns the status n, from 1.
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
  std::vector<int64_t> launchConditions;
  std::vector<AccessPlace> accesses;                   ///< by the numbers that the code passes to the runtime
  std::vector<std::pair<std::string, double>> seconds; ///< per phase, in order
};

struct CpuCompileOptions {
  std::string target = "cpu";
  bool specializeRanges = true; ///< assume of index arithmetic what each launch checks
  /// Whether the code needs, and calls, a launch's runtime::AccessChecks.
  bool checkBounds = false;
  /// Of "source", "tile", "vector", "llvm" (LLVM IR, optimised) and "asm".
  PhaseDump dump;
};

/// Compiles a module with one kernel, which is consumed. Diagnostics go to the
/// context's handler. On failure the result is empty and `failure` is filled.
std::optional<CompiledForCpu> compileForCpu(mlir::ModuleOp module, const CpuCompileOptions &options,
                                            CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_CPU_H
