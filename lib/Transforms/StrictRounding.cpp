// strict-rounding: rounds narrow floats after each operation. Upstream's emulation of unsupported float types allows
// its conversions to be removed,
//
//     %n = arith.truncf %sum fastmath<contract> : f32 to bf16
//     %w = arith.extf %n fastmath<contract> : bf16 to f32       // may become %sum
//
// so that results differ between targets. This pass removes the fast-math flags.

#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright {
#define GEN_PASS_DEF_STRICTROUNDING
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

struct StrictRounding : impl::StrictRoundingBase<StrictRounding> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto widening = dyn_cast<arith::ExtFOp>(op)) {
        widening.removeFastmathAttr();
      } else if (auto narrowing = dyn_cast<arith::TruncFOp>(op)) {
        narrowing.removeFastmathAttr();
      }
    });
  }
};

} // namespace
} // namespace tilewright
