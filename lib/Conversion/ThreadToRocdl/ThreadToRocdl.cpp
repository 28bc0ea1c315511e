// thread-to-rocdl: lowers the thread dialect to AMD's instructions. See Passes.td.

#include "ThreadToRocdl.h"

#include "tilewright/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_THREADTOROCDL
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

/// What a user wrote that is not supported yet; empty for operations that earlier passes should not have left.
static StringRef nameForUsers(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](thread::InlineAsmOp) { return "inline assembly"; })
      .Default(StringRef());
}

/// An error for each operation of the thread dialect.
static LogicalResult checkRest(ModuleOp module) {
  WalkResult rest = module.walk([](Operation *op) -> WalkResult {
    if (!isa_and_nonnull<thread::ThreadDialect>(op->getDialect())) {
      return WalkResult::advance();
    }
    StringRef name = nameForUsers(op);
    return name.empty() ? op->emitError("is not lowered to AMD's instructions")
                        : emitError(op->getLoc(), name + " is not supported on AMD's GPUs yet");
  });
  return failure(rest.wasInterrupted());
}

namespace {
struct ThreadToRocdl : tilewright::impl::ThreadToRocdlBase<ThreadToRocdl> {
  void runOnOperation() override {
    amd::branchAroundLoads(getOperation());
    // Shuffles add operations of the thread dialect, which the patterns of indices lower.
    amd::Resources resources;
    RewritePatternSet shuffles(&getContext()), patterns(&getContext());
    amd::addShufflePatterns(shuffles);
    walkAndApplyPatterns(getOperation(), std::move(shuffles));
    amd::addAtomicPatterns(patterns);
    amd::addBufferPatterns(patterns, resources);
    amd::addIndexPatterns(patterns);
    amd::addMathPatterns(patterns);
    amd::addMemoryPatterns(patterns);
    amd::addMessagePatterns(patterns);
    amd::addMmaPatterns(patterns);
    amd::addPrintPatterns(patterns);
    amd::addSynchronizationPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (failed(checkRest(getOperation()))) {
      signalPassFailure();
    }
  }
};
} // namespace
