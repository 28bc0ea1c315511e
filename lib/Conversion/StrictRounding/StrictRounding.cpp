// Narrow floats are rounded after each operation. Upstream's emulation of types
// that a processor lacks marks its conversions as free to be left out,
//
//     %n = arith.truncf %sum fastmath<contract> : f32 to bf16
//     %w = arith.extf %n fastmath<contract> : bf16 to f32       // may become %sum
//
// which gives results that differ from one target to the next. This pass takes
// the permission back.

#include "tilewright/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright {
#define GEN_PASS_DEF_STRICTROUNDING
#include "tilewright/Conversion/Passes.h.inc"
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
