// test-tile-plan: prints the loop nests of each basic block of each kernel.

#include "TestPasses.h"
#include "tilewright/Conversion/TileToVector/Plan.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilewright;

namespace {
// Runs on the module because passes on functions run in parallel, and their output would interleave.
struct TestPlan : PassWrapper<TestPlan, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPlan)
  StringRef getArgument() const final { return "test-tile-plan"; }
  StringRef getDescription() const final { return "Print the loop nests that tile-to-vector plans"; }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      print(function);
    }
    markAllAnalysesPreserved();
  }

  void print(func::FuncOp function) {
    AxisInfoAnalysis axis(function);
    cpu::MemoryOrder memory(axis);
    cpu::RematerializationCost rematerialization;
    llvm::outs() << function.getName() << ":\n";
    function->walk<WalkOrder::PreOrder>([&](Block *block) {
      if (!isa<tile::ReduceOp, tile::ScanOp>(block->getParentOp())) {
        cpu::printPlan(cpu::planBlock(*block, memory, rematerialization), llvm::outs());
      }
    });
  }
};
} // namespace

void tilewright::registerTestPlan() { PassRegistration<TestPlan>(); }
