// The phase that all targets share.

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/RewriteOrder.h"
#include "tilewright/Pipeline/Compilation.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewright {

void addTilePasses(OpPassManager &passes, bool specializeRanges) {
  passes.addPass(createInlinerPass());                // one function per kernel
  passes.addPass(createSymbolDCEPass());              // what was inlined is not needed any more
  passes.addPass(tile::createCanonicalizer());        // constants reach the shapes of masks and strides
  passes.addPass(createCSEPass());                    // equal address tiles become one value
  passes.addPass(tile::createTileCombine());          // sums of products accumulate in the product
  passes.addPass(tile::createTileScalarizeAdvance()); // address tiles need not be carried around loops
  passes.addPass(tile::createCanonicalizer());
  passes.addPass(createLoopInvariantCodeMotionPass()); // a row's addresses outside the loop over columns
  passes.addPass(createCSEPass());
  // After the passes that merge and move index arithmetic: what they make of it is not marked.
  passes.addPass(createSpecializeRanges({specializeRanges}));
}

std::vector<int64_t> takeLaunchConditions(ModuleOp module) {
  auto conditions = module->getAttrOfType<DenseI64ArrayAttr>(tile::TileDialect::kLaunchConditionsAttr);
  module->removeAttr(tile::TileDialect::kLaunchConditionsAttr);
  return conditions ? std::vector<int64_t>(conditions.asArrayRef()) : std::vector<int64_t>();
}

LogicalResult verifyTilePhase(ModuleOp module) {
  if (failed(tile::verifyCombiners(module))) {
    return failure();
  }
  return verifyOperations(module, "tile",
                          [](Operation *op) { return !isa<func::CallOp, cf::BranchOp, cf::CondBranchOp>(op); });
}

} // namespace tilewright
