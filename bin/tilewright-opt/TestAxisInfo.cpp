// test-axis-info: emits the results of axis analysis for integers and pointers as remarks.

#include "TestPasses.h"
#include "tilewright/Analysis/AxisInfo.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilewright;

namespace {
struct TestAxisInfo : PassWrapper<TestAxisInfo, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestAxisInfo)
  StringRef getArgument() const final { return "test-axis-info"; }
  StringRef getDescription() const final {
    return "Emit a remark with the axis information of every integer and pointer";
  }

  void runOnOperation() override {
    auto &analysis = getAnalysis<AxisInfoAnalysis>();
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value result : op->getResults()) {
        report(op->getLoc(), result, analysis.get(result));
      }
      for (Region &region : op->getRegions()) {
        for (BlockArgument arg : region.getArguments()) {
          report(arg.getLoc(), arg, analysis.get(arg));
        }
      }
    });
    markAllAnalysesPreserved();
  }

  void report(Location loc, Value value, const AxisInfo &info) {
    Type element = tile::getElementType(value.getType());
    if (!isa<IntegerType, IndexType, tile::PtrType>(element)) {
      return;
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    info.print(os);
    emitRemark(loc) << text;
  }
};
} // namespace

void tilewright::registerTestAxisInfo() { PassRegistration<TestAxisInfo>(); }
