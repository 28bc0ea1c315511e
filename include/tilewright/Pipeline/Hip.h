// The pipeline for AMD GPUs, phase by phase.

#ifndef TILEWRIGHT_PIPELINE_HIP_H
#define TILEWRIGHT_PIPELINE_HIP_H

#include "tilewright/Hardware/Limits.h"
#include "tilewright/Pipeline/Compilation.h"
#include "tilewright/Pipeline/Options.h"

#include <optional>

namespace tilewright {

/// Phases are named after their results. LLVM produces assembly and code objects from the last one.
enum class HipPhase { Tile, TileGPU, Thread, LLVM };

llvm::StringRef stringifyPhase(HipPhase phase);
/// The phase of that name.
std::optional<HipPhase> parseHipPhase(llvm::StringRef name);

/// Triton's options for AMD's GPUs keep their names. Those that are hints for Triton's own passes are accepted and
/// ignored (python/tilewright/compiler/foreign_options.py).
struct HipOptions : GpuOptions {
  Option<int> wavesPerEu{*this, 0,
                         OptionTraits("waves_per_eu",
                                      "How many warps should fit on a SIMD of an AMD GPU at once, which limits their "
                                      "registers; 0 lets the compiler choose.")
                             .fromZero()};
  Option<int> matrixInstrNonkdim{*this, 0,
                                 OptionTraits("matrix_instr_nonkdim",
                                              "M and N of the matrix instructions of AMD's GPUs, 16 or 32, where there "
                                              "is one of this size; 0 lets the compiler choose.")
                                     .fromZero()};
  Option<bool> prefetch{
      *this, true, OptionTraits("prefetch", "Hold in registers what a loop loads for its next iteration.").internal()};
  Option<bool> bufferOps{
      *this, true,
      OptionTraits(
          "buffer_ops",
          "Whether accesses to an array of AMD's GPUs may be buffer accesses, which have offsets of 32 bits and "
          "need no branches for masks. That the offsets fit is checked by each launch.")
          .setBy("AMDGCN_USE_BUFFER_OPS")};
  Option<bool> lineInfo{*this, true, OptionTraits("line_info", "Emit source lines for profilers.").internal()};

  /// Functions are inlined: a call would need a stack in memory.
  bool keepsCalls() const override { return false; }
};

/// Adds the passes of one phase. `target` is a name of the hardware table.
void addHipPasses(mlir::OpPassManager &passes, HipPhase phase, llvm::StringRef target, const HipOptions &options);

/// Verifies that the module has the form required at the end of the phase; emits an error on the offending operation.
mlir::LogicalResult verifyPhase(mlir::ModuleOp module, HipPhase phase);

/// Registers the pass pipelines `hip-tile`, `hip-tilegpu`, `hip-thread` and `hip-llvm` for command lines.
void registerHipPipelines();

/// Registers the dialects and interfaces that the pipeline needs in addition to the front end's.
void registerHipPipeline(mlir::DialectRegistry &registry);

/// Compiles a module with one kernel, which is consumed, for an architecture of the hardware table. Fails if the kernel
/// exceeds `limits`. The code is a linked code object (hsaco). The metadata are
///   num_warps, threads                   per program
///   shared_bytes                         bytes of dynamic shared memory per program
///   registers, accumulators              per thread; the accumulation registers are among the registers
///   scalar_registers                     per warp
///   spill_bytes, stack_bytes             per thread: of spilled registers, and of private memory with these
///   warps_per_simd                       how many the registers allow at once
///   slots                                for each parameter of the code, the index of its launch argument
///   asserts                              [message, file, line, column] of each assertion that the code reports
///   persistent                           whether the code takes the launch's grid in hidden slots 0 to 2
/// A kernel whose loops hold the next iteration's data in registers, and which spills, is compiled again without that.
/// Dumps "source", "tile", "tilegpu", "thread", "llvm" (optimized LLVM IR) and "amdgcn".
std::optional<Compiled> compileForHip(mlir::ModuleOp module, llvm::StringRef target, const hardware::Limits &limits,
                                      const HipOptions &options, PhaseDump dump, CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_HIP_H
