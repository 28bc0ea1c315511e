// The pipeline for NVIDIA GPUs, phase by phase.

#ifndef TILEWRIGHT_PIPELINE_CUDA_H
#define TILEWRIGHT_PIPELINE_CUDA_H

#include "tilewright/Pipeline/Compilation.h"
#include "tilewright/Target/Cuda/Assemble.h"

#include <optional>

namespace tilewright {

/// Phases are named after their results. The last two have no passes: LLVM and the assembler produce them.
enum class CudaPhase { Tile, TileGPU, Thread, LLVM, Ptx, Cubin };

llvm::StringRef stringifyPhase(CudaPhase phase);
/// The phase of that name, if it has passes.
std::optional<CudaPhase> parseCudaPhase(llvm::StringRef name);

struct CudaCompileOptions {
  std::string target = "sm_90a"; ///< a name of the hardware table
  int numWarps = 4;
  int numStages = 3;
  int maxRegisters = 0; ///< per thread; 0 leaves it to the assembler
  bool enableFpFusion = true;
  bool specializeRanges = true; ///< let index arithmetic depend on launch conditions
  bool lineInfo = true;         ///< emit source lines for profilers
  /// Whether the code checks bounds, which takes hidden arguments (CheckBounds.cpp), and traps on a violation.
  bool checkBounds = false;
  cuda::AssembleOptions assembler;
  /// The last phase that the module has already been through, to continue from printed and possibly edited IR.
  std::optional<CudaPhase> startAfter;
  /// Called for "source", "tile", "tilegpu", "thread", "llvm" (optimized LLVM IR), "ptx" and "log" (the assembler's).
  PhaseDump dump;
};

struct CompiledForCuda {
  std::string ptx;
  cuda::Cubin cubin; ///< has no image if there is no assembler; the driver can assemble the PTX
  std::string symbol;
  int64_t sharedBytes = 0; ///< dynamic shared memory per thread block
  LaunchRequirements requirements;
  std::vector<int> slots; ///< for each parameter of the code, the index of its launch argument
  std::vector<AccessPlace> accesses;
  std::vector<std::pair<std::string, double>> seconds;
};

/// Adds the passes of one phase; Ptx and Cubin have none.
void addCudaPasses(mlir::OpPassManager &passes, CudaPhase phase, const CudaCompileOptions &options);

/// Verifies that the module has the form required at the end of the phase; emits an error on the offending operation.
mlir::LogicalResult verifyPhase(mlir::ModuleOp module, CudaPhase phase);

/// Registers the pass pipelines `cuda-tile`, `cuda-tilegpu`, `cuda-thread` and `cuda-llvm` for command lines, one for
/// each phase.
void registerCudaPipelines();

/// Registers the dialects and interfaces that the pipeline needs in addition to the front end's.
void registerCudaPipeline(mlir::DialectRegistry &registry);

/// Compiles a module with one kernel, which is consumed. Diagnostics go to the context's handler. On failure the result
/// is empty and `failure` is set.
std::optional<CompiledForCuda> compileForCuda(mlir::ModuleOp module, const CudaCompileOptions &options,
                                              CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_CUDA_H
