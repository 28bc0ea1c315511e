// The pipeline for NVIDIA GPUs, phase by phase.

#ifndef TILEWRIGHT_PIPELINE_CUDA_H
#define TILEWRIGHT_PIPELINE_CUDA_H

#include "tilewright/Hardware/Limits.h"
#include "tilewright/Pipeline/Compilation.h"
#include "tilewright/Pipeline/Options.h"

#include <optional>

namespace tilewright {

/// Phases are named after their results. The last two have no passes: LLVM and the assembler produce them.
enum class CudaPhase { Tile, TileGPU, Thread, LLVM, Ptx, Cubin };

llvm::StringRef stringifyPhase(CudaPhase phase);
/// The phase of that name, if it has passes.
std::optional<CudaPhase> parseCudaPhase(llvm::StringRef name);

struct CudaOptions : GpuOptions {
  Option<bool> launchPdl{
      *this,
      false,
      {"launch_pdl",
       "Whether a launch may start before the previous one in its stream has ended; the kernel waits for that one by "
       "gdc_wait. On GPUs before sm_90, the CPU and emulated GPUs it never does."}};
  Option<bool> launchCooperativeGrid{
      *this, false,
      OptionTraits("launch_cooperative_grid",
                   "Whether all programs run at the same time, so that they can wait for one another. A launch fails "
                   "if they do not fit on the device.")
          .refusedElsewhere()};
  Option<bool> groupMma{*this, true,
                        OptionTraits("group_mma", "Whether to use matrix instructions of warp groups.").internal()};
  Option<std::optional<bool>> definesAccumulators{
      *this, std::nullopt,
      OptionTraits("defines_accumulators",
                   "Whether accumulators of wgmma begin with zeros where the first dot does not "
                   "read them. By default, if the assembler needs it.")
          .internal()};
  Option<bool> lineInfo{*this, true, OptionTraits("line_info", "Emit source lines for profilers.").internal()};
  Option<std::string> nvJitLink{*this, "", OptionTraits("nvjitlink", "The path of the library nvJitLink.").internal()};
  Option<std::string> ptxas{*this, "", OptionTraits("ptxas", "The path of the program ptxas.").internal()};

  /// Whether code may let warp groups exchange registers. nvJitLink ignores such instructions; without it and
  /// ptxas, the driver assembles.
  bool canMoveRegisters() const { return !ptxas->empty() || nvJitLink->empty(); }
};

/// Adds the passes of one phase; Ptx and Cubin have none.
/// `target` is a name of the hardware table.
void addCudaPasses(mlir::OpPassManager &passes, CudaPhase phase, llvm::StringRef target, const CudaOptions &options);

/// Verifies that the module has the form required at the end of the phase; emits an error on the offending operation.
mlir::LogicalResult verifyPhase(mlir::ModuleOp module, CudaPhase phase);

/// Registers the pass pipelines `cuda-tile`, `cuda-tilegpu`, `cuda-thread` and `cuda-llvm` for command lines, one for
/// each phase.
void registerCudaPipelines();

/// Registers the dialects and interfaces that the pipeline needs in addition to the front end's.
void registerCudaPipeline(mlir::DialectRegistry &registry);

/// Compiles a module with one kernel, which is consumed, for an architecture of the hardware table. Fails if the kernel
/// exceeds `limits`. The code is a cubin, or PTX if there is no assembler, which the driver can assemble. The metadata
/// are
///   num_warps, threads                   per program
///   shared_bytes                         bytes of dynamic shared memory per program
///   registers, spill_bytes, stack_bytes  per thread, as the assembler reports them
///   launch_pdl, launch_cooperative_grid  the attributes of launches; the first is false if the GPU lacks it
///   slots                                for each parameter of the code, the index of its launch argument
///   tensor_maps                          the parameters after these, which launches make (TensorMapParameters::encode)
///   asserts                              [message, file, line, column] of each assertion that the code reports
///   persistent                           whether the code takes the launch's grid in hidden slots 0 to 2, and a launch
///                                        starts as many programs as run at once (make-persistent)
/// Code with bounds checks or assertions takes hidden arguments (CheckBounds.cpp, ReportAsserts.cpp); before it stops
/// the device it reports what failed (Runtime/Mailbox.h).
/// A kernel with additional warps that the assembler rejects, or for which it lacks registers, is compiled again
/// without them. A kernel whose accumulators of such instructions do not fit the registers, which can't be spilled, is
/// compiled again without them, with a warning. Dumps "source", "tile", "tilegpu", "thread", "llvm" (optimized LLVM
/// IR), "ptx" and "log" (the assembler's).
std::optional<Compiled> compileForCuda(mlir::ModuleOp module, llvm::StringRef target, const hardware::Limits &limits,
                                       const CudaOptions &options, PhaseDump dump, CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_CUDA_H
