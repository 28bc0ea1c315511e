// test-verify-layouts: fails if layouts violate the rules of LayoutRules.h.

#include "TestPasses.h"
#include "tilewright/Dialect/TileGPU/IR/LayoutRules.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilewright;

namespace {
struct TestVerifyLayouts : PassWrapper<TestVerifyLayouts, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestVerifyLayouts)
  StringRef getArgument() const final { return "test-verify-layouts"; }
  StringRef getDescription() const final {
    return "Check that the layouts of operands and results satisfy the rules of their operations";
  }

  void runOnOperation() override {
    if (failed(tilegpu::verifyLayouts(getOperation()))) {
      signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace

void tilewright::registerTestVerifyLayouts() { PassRegistration<TestVerifyLayouts>(); }
