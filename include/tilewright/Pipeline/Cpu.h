// The pipeline for the host, phase by phase.

#ifndef TILEWRIGHT_PIPELINE_CPU_H
#define TILEWRIGHT_PIPELINE_CPU_H

#include "tilewright/Pipeline/Compilation.h"
#include "tilewright/Pipeline/Options.h"
#include "tilewright/Target/Host/Host.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <optional>
#include <string>

namespace tilewright {

/// Phases are named after their results.
enum class CpuPhase { Tile, Vector, LLVM, Object };

llvm::StringRef stringifyPhase(CpuPhase phase);

/// Adds the passes of one phase; Object has none, as LLVM emits it. `features` are the processor's, in LLVM's notation.
void addCpuPasses(mlir::OpPassManager &passes, CpuPhase phase, llvm::StringRef features, const CompileOptions &options);

/// Verifies that the module has the form required at the end of the phase; emits an error on the offending operation.
mlir::LogicalResult verifyPhase(mlir::ModuleOp module, CpuPhase phase);

/// Registers the pass pipelines `cpu-tile`, `cpu-vector` and `cpu-llvm` for command lines, one for each phase.
void registerCpuPipelines();

/// Registers the dialects and interfaces that the pipeline needs in addition to the front end's.
void registerCpuPipeline(mlir::DialectRegistry &registry);

/// Compiles a module with one kernel, which is consumed. The metadata are
///   scratch_bytes  bytes of scratch memory per thread
///   asserts        [message, file, line, column] of each assertion; the n-th one returns the status n, from 1
/// Dumps "source", "tile", "vector", "llvm" (optimized LLVM IR) and "asm".
std::optional<Compiled> compileForCpu(mlir::ModuleOp module, const host::HostTarget &target,
                                      const CompileOptions &options, PhaseDump dump, CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_CPU_H
