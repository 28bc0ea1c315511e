// The pipeline for an emulated GPU, which runs on the host.

#ifndef TILEWRIGHT_PIPELINE_EMULATOR_H
#define TILEWRIGHT_PIPELINE_EMULATOR_H

#include "tilewright/Pipeline/TargetKind.h"

namespace tilewright {

/// Compiles a module with one kernel, which is consumed, for an emulated GPU: an architecture of a kind that can be
/// emulated. With `checked`, memory accesses can be checked and counted. The metadata are
///   num_warps, threads  per program
///   shared_bytes        bytes of dynamic shared memory per program
///   max_grid            programs along each axis that a launch on the GPU may have
///   sites               [file, line, column, instruction] of each place to which the code refers by number
///   tensor_maps         as for NVIDIA GPUs (Cuda.h)
///   asserts             likewise
///   tensor_map_slots    the first slot of each map; they are below zero
/// The last dumps are "llvm" (LLVM IR for the GPU), "host" (LLVM IR after retargeting) and "asm".
std::optional<Compiled> compileForEmulator(mlir::ModuleOp module, const TargetKind &kind, llvm::StringRef arch,
                                           bool checked, const GpuOptions &options, PhaseDump dump,
                                           CompileFailure &failure);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_EMULATOR_H
