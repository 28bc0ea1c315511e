// The tile phase, which all targets share.

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Analysis/AxisTransfer.h"
#include "tilewright/Dialect/Tile/Transforms/Passes.h"
#include "tilewright/Dialect/Tile/Transforms/RewriteOrder.h"
#include "tilewright/Pipeline/Compilation.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewright {

void addTilePasses(OpPassManager &passes, const CompileOptions &options) {
  // Must run before the canonicalizer because that removes a loop that only waits.
  passes.addPass(createWarnEndlessLoops());
  passes.addPass(
      tile::createTileKeepCalls({options.keepsCalls()})); // must run before the inliner, which it tells what to inline
  passes.addPass(createInlinerPass({}, [](OpPassManager &) {})); // one function per kernel; simplifies nothing
  // Must run before the canonicalizer because that computes with constants modulo 2^32.
  passes.addPass(createWidenConstants());
  passes.addPass(createSymbolDCEPass()); // removes inlined functions
  passes.addPass(tile::createTilePad()); // makes all sizes powers of two
  // Must run before the canonicalizer because that moves conditions of loops, and folds the branches decided here.
  passes.addPass(createWhileToFor());
  passes.addPass(createDropDeadCarried());
  passes.addPass(tile::createCanonicalizer());        // folds constants into masks and strides
  passes.addPass(createCSEPass());                    // equal address tiles become one value
  passes.addPass(tile::createTileCombine());          // accumulates sums in dots
  passes.addPass(tile::createTileScalarizeAdvance()); // loops carry scalars instead of address tiles
  passes.addPass(tile::createCanonicalizer());
  passes.addPass(createHoistInvariants()); // hoists a row's addresses out of a loop over columns
  passes.addPass(createCSEPass());
  // Must run after the passes that merge and move index arithmetic because they do not keep the marks.
  passes.addPass(createSpecializeRanges({options.specializeRanges}));
  if (options.keepsCalls()) {
    passes.addPass(createInferArguments()); // after specialize-ranges, whose marks tell axis analysis more
  }
  passes.addPass(createRecordWrites()); // while pointers are still derived from arguments by operations on tiles
}

void registerTilePhase(DialectRegistry &registry) {
  func::registerInlinerExtension(registry);
  registerAxisTransfer(registry);
}

static std::vector<int64_t> takeIntegers(ModuleOp module, StringRef name) {
  auto integers = dyn_cast_or_null<DenseI64ArrayAttr>(module->removeAttr(name));
  return integers ? std::vector<int64_t>(integers.asArrayRef()) : std::vector<int64_t>();
}

LaunchRequirements takeLaunchRequirements(ModuleOp module) {
  return {takeIntegers(module, tile::TileDialect::kLaunchConditionsAttr),
          takeIntegers(module, tile::TileDialect::kWrittenSlotsAttr)};
}

/// Emits an error on the first operation with a pointer into another address space than that of arrays.
static LogicalResult verifyAddressSpaces(ModuleOp module) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
    SmallVector<Type> types(op->getResultTypes());
    for (Region &region : op->getRegions()) {
      llvm::append_range(types, region.getArgumentTypes());
    }
    for (Type type : types) {
      auto pointer = dyn_cast<tile::PtrType>(tile::getElementType(type));
      if (pointer && pointer.getAddressSpace() != 0) {
        return op->emitError() << "the target has no address space " << pointer.getAddressSpace()
                               << ", into which a pointer points";
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult verifyTilePhase(ModuleOp module) {
  if (failed(tile::verifyCombiners(module)) || failed(verifyAddressSpaces(module))) {
    return failure();
  }
  return verifyOperations(module, "tile",
                          [](Operation *op) { return !isa<func::CallOp, cf::BranchOp, cf::CondBranchOp>(op); });
}

} // namespace tilewright
