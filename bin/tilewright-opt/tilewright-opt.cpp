// mlir-opt with Tilewright's dialects and passes.

#include "TestPasses.h"
#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Ptx/IR/Ptx.h"
#include "tilewright/Dialect/Thread/IR/Thread.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/TileGPU/IR/TileGPU.h"
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"
#include "tilewright/Pipeline/TargetKind.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tilewright::tile::TileDialect, tilewright::tilegpu::TileGPUDialect, tilewright::ptx::PtxDialect,
                  tilewright::thread::ThreadDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::vector::VectorDialect,
                  mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::ub::UBDialect>();
  for (const tilewright::TargetKind *kind : tilewright::targetKinds()) {
    kind->registerDialects(registry);
    kind->registerPipelines();
  }
  mlir::registerTransformsPasses();
  tilewright::registerConversionPasses();
  tilewright::registerTransformsPasses();
  tilewright::tile::registerTileTransformsPasses();
  tilewright::tilegpu::registerTileGPUTransformsPasses();
  tilewright::registerTestAxisInfo();
  tilewright::registerTestPlan();
  tilewright::registerTestPointerRoots();
  tilewright::registerTestVerifyLayouts();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tilewright optimizer driver\n", registry));
}
