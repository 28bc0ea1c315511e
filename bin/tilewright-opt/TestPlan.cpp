// test-tile-plan: prints how each block of each kernel falls into loop nests.

#include "TestPasses.h"
#include "tilewright/Conversion/TileToVector/Plan.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilewright;

namespace {
struct TestPlan : PassWrapper<TestPlan, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPlan)
  StringRef getArgument() const final { return "test-tile-plan"; }
  StringRef getDescription() const final { return "Print the loop nests that tile-to-vector plans"; }

  void runOnOperation() override {
    AxisInfoAnalysis axis(getOperation());
    cpu::MemoryOrder memory(axis);
    llvm::outs() << getOperation().getName() << ":\n";
    getOperation()->walk<WalkOrder::PreOrder>([&](Block *block) {
      if (!isa<tile::ReduceOp, tile::ScanOp>(block->getParentOp())) {
        cpu::printPlan(cpu::planBlock(*block, memory), llvm::outs());
      }
    });
    markAllAnalysesPreserved();
  }
};
} // namespace

void tilewright::registerTestPlan() { PassRegistration<TestPlan>(); }
