// The phases that all GPUs share: tiles, tiles with layouts, and threads. The last phase, to LLVM, is each vendor's.

#ifndef TILEWRIGHT_LIB_PIPELINE_GPUPASSES_H
#define TILEWRIGHT_LIB_PIPELINE_GPUPASSES_H

#include "tilewright/Pipeline/Compilation.h"
#include "tilewright/Pipeline/Options.h"

#include "mlir/Pass/PassManager.h"

namespace tilewright {

/// What a kind of GPU decides for the phase of tiles with layouts.
struct TileGPUSettings {
  bool usesGroupMma = false;     ///< matrix instructions of warp groups
  int mmaSide = 0;               ///< M and N of matrix instructions; 0 lets the passes choose
  bool isCooperative = false;    ///< all programs run at the same time
  bool canMoveRegisters = false; ///< warp groups may exchange registers
  bool throughRegisters = true;  ///< loops may hold in registers what they load for the next iteration
};

/// The phase of tiles, with what reports assertions and accesses out of bounds.
void addGpuTilePasses(mlir::OpPassManager &passes, const GpuOptions &options);
/// `target` is a name of the hardware table.
void addTileGPUPasses(mlir::OpPassManager &passes, llvm::StringRef target, const GpuOptions &options,
                      const TileGPUSettings &settings);
/// From tiles to thread-level code.
void addThreadPasses(mlir::OpPassManager &passes);

/// Whether the module has the form required at the end of the thread phase.
mlir::LogicalResult verifyThreadPhase(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_PIPELINE_GPUPASSES_H
