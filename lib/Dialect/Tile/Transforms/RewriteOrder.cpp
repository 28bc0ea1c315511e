#include "tilewright/Dialect/Tile/Transforms/RewriteOrder.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace mlir;

namespace tilewright::tile {

constexpr int64_t maxIterations = 1000;

static const char *rewriteSeed() { return std::getenv("TILEWRIGHT_REWRITE_SEED"); }

/// Shuffles patterns, and chooses the traversal order at random.
static GreedyRewriteConfig drawOrder(RewritePatternSet &patterns) {
  std::minstd_rand random(static_cast<unsigned>(std::strtoul(rewriteSeed(), nullptr, 10)));
  auto &native = patterns.getNativePatterns();
  std::shuffle(native.begin(), native.end(), random);
  return GreedyRewriteConfig().setUseTopDownTraversal(random() % 2 == 0);
}

LogicalResult rewriteGreedily(Operation *root, RewritePatternSet patterns) {
  GreedyRewriteConfig config = rewriteSeed() ? drawOrder(patterns) : GreedyRewriteConfig();
  // A pattern may need a pass over the code for each operation of a chain; MLIR's limit of 10 is for canonicalization.
  config.setMaxIterations(maxIterations);
  LogicalResult result = applyPatternsGreedily(root, std::move(patterns), config);
  if (failed(result)) {
    root->emitError() << "patterns still match after " << maxIterations << " iterations";
  }
  return result;
}

namespace {
struct CanonicalizeInAnyOrder : PassWrapper<CanonicalizeInAnyOrder, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CanonicalizeInAnyOrder)
  StringRef getName() const override { return "canonicalize in any order"; }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    for (Dialect *dialect : context->getLoadedDialects()) {
      dialect->getCanonicalizationPatterns(patterns);
    }
    for (RegisteredOperationName op : context->getRegisteredOperations()) {
      op.getCanonicalizationPatterns(patterns, context);
    }
    GreedyRewriteConfig config = drawOrder(patterns);
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config); // may end early, like MLIR's
  }
};
} // namespace

std::unique_ptr<Pass> createCanonicalizer() {
  if (rewriteSeed()) {
    return std::make_unique<CanonicalizeInAnyOrder>();
  }
  return createCanonicalizerPass();
}

} // namespace tilewright::tile
