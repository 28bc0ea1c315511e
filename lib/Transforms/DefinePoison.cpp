// define-poison: replaces poison by zeros. See Passes.td.

#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace tilewright {
#define GEN_PASS_DEF_DEFINEPOISON
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

struct DefinePoison : impl::DefinePoisonBase<DefinePoison> {
  void runOnOperation() override {
    getOperation()->walk([](ub::PoisonOp op) {
      OpBuilder builder(op);
      if (TypedAttr zero = builder.getZeroAttr(op.getType())) {
        op.replaceAllUsesWith(arith::ConstantOp::create(builder, op.getLoc(), zero).getResult());
        op.erase();
      }
    });
  }
};

} // namespace
} // namespace tilewright
