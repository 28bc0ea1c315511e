// The pipeline for an emulated NVIDIA GPU, which runs on the host.

#ifndef TILEWRIGHT_PIPELINE_EMULATOR_H
#define TILEWRIGHT_PIPELINE_EMULATOR_H

#include "tilewright/Pipeline/Cuda.h"

namespace tilewright {

/// Compiles a module with one kernel, which is consumed, for an emulated GPU of an architecture. The assembler is not
/// used. With `checked`, memory accesses can be checked and counted. The metadata are
///   num_warps, threads  per program
///   shared_bytes        bytes of dynamic shared memory per program
///   sites               [file, line, column, instruction] of each place to which the code refers by number
/// The last dumps are "llvm" (LLVM IR for the GPU), "host" (LLVM IR after retargeting) and "asm".
std::optional<Compiled> compileForEmulator(mlir::ModuleOp module, llvm::StringRef target, bool checked,
                                           const CudaOptions &options, PhaseDump dump, CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_EMULATOR_H
