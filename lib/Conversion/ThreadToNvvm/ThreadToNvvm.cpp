// thread-to-nvvm: lowers the thread dialect to NVIDIA's instructions. See Passes.td.

#include "ThreadToNvvm.h"

#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Ptx/IR/Ptx.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_THREADTONVVM
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

namespace {
struct ThreadToNvvm : tilewright::impl::ThreadToNvvmBase<ThreadToNvvm> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    nvidia::addBoxPatterns(patterns);
    nvidia::addGroupMmaPatterns(patterns);
    nvidia::addInlineAsmPatterns(patterns);
    nvidia::addMathPatterns(patterns);
    nvidia::addMemoryPatterns(patterns);
    nvidia::addWarpPatterns(patterns);
    nvidia::addMessagePatterns(patterns);
    nvidia::passTensorMapsByValue(getOperation());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    WalkResult rest = getOperation()->walk([](Operation *op) -> WalkResult {
      bool isLowered = !isa_and_nonnull<thread::ThreadDialect>(op->getDialect());
      return isLowered ? WalkResult::advance() : op->emitError("is not lowered to NVIDIA's instructions");
    });
    if (rest.wasInterrupted()) {
      signalPassFailure();
    }
  }
};
} // namespace
