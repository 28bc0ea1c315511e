#include "tilewright/Dialect/Tile/Transforms/RewriteOrder.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace mlir;

namespace tilewright::tile {

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
  return applyPatternsGreedily(root, std::move(patterns), config);
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
    (void)rewriteGreedily(getOperation(), std::move(patterns)); // like MLIR's, does not fail if it does not converge
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
