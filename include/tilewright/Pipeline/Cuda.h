// The way of a kernel to an NVIDIA GPU, phase by phase.

#ifndef TILEWRIGHT_PIPELINE_CUDA_H
#define TILEWRIGHT_PIPELINE_CUDA_H

#include "tilewright/Pipeline/Compilation.h"
#include "tilewright/Target/Nvptx.h"

#include <optional>

namespace tilewright {

/// What stands at the end of a phase is named after it. The last two have no passes: they are LLVM's and the
/// assembler's.
enum class CudaPhase { Tile, TileGPU, Thread, LLVM, Ptx, Cubin };

llvm::StringRef stringifyPhase(CudaPhase phase);
/// The phase of that name, if it is one that has passes.
std::optional<CudaPhase> parseCudaPhase(llvm::StringRef name);

struct CudaCompileOptions {
  std::string target = "sm_90a"; ///< a name of the hardware table
  int numWarps = 4;
  int numStages = 3;
  int maxRegisters = 0; ///< a thread; 0 leaves it to the assembler
  bool enableFpFusion = true;
  bool specializeRanges = true; ///< assume of index arithmetic what each launch checks
  bool lineInfo = true;         ///< lines of the source for profilers
  /// Whether the code takes hidden arguments (CheckBounds.cpp) and stops the device at an access out of bounds.
  bool checkBounds = false;
  nvptx::AssembleOptions assembler;
  /// The phase at whose end the module stands already: to go on with IR that was printed, and maybe changed.
  std::optional<CudaPhase> startAfter;
  /// Of "source", "tile", "tilegpu", "thread", "llvm" (LLVM IR, optimised), "ptx" and "log" (the assembler's).
  PhaseDump dump;
};

struct CompiledForCuda {
  std::string ptx;
  nvptx::Cubin cubin; ///< without an image where there is no assembler: the driver is one too
  std::string symbol;
  int64_t sharedBytes = 0; ///< dynamic shared memory of a block
  std::vector<int64_t> launchConditions;
  std::vector<int> slots; ///< of the code's parameters: which argument of the launch each one is
  std::vector<AccessPlace> accesses;
  std::vector<std::pair<std::string, double>> seconds;
};

/// Adds the passes of one phase; Ptx and Cubin have none.
void addCudaPasses(mlir::OpPassManager &passes, CudaPhase phase, const CudaCompileOptions &options);

/// Whether the module has the form in which the phase must leave it; says on the offending operation what it should
/// not be.
mlir::LogicalResult verifyPhase(mlir::ModuleOp module, CudaPhase phase);

/// Makes `cuda-tile`, `cuda-tilegpu`, `cuda-thread` and `cuda-llvm` known to a command line, each the passes of
/// one phase with options for target, warps and stages.
void registerCudaPipelines();

/// Loads dialects and interfaces that the pipeline needs beyond the front end's.
void registerCudaPipeline(mlir::DialectRegistry &registry);

/// Compiles a module with one kernel, which is consumed. Diagnostics go to the context's handler. On failure the
/// result is empty and `failure` is filled.
std::optional<CompiledForCuda> compileForCuda(mlir::ModuleOp module, const CudaCompileOptions &options,
                                              CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_CUDA_H
