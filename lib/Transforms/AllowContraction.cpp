// allow-contraction: allows the contraction of multiplications and additions. See Passes.td.

#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilewright {
#define GEN_PASS_DEF_ALLOWCONTRACTION
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

namespace {

struct AllowContraction : tilewright::impl::AllowContractionBase<AllowContraction> {
  using AllowContractionBase::AllowContractionBase;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      (void)(allow<arith::AddFOp>(op) || allow<arith::SubFOp>(op) || allow<arith::MulFOp>(op));
    });
  }

  template <typename Op> bool allow(Operation *op) const {
    auto arithmetic = dyn_cast<Op>(op);
    if (!arithmetic || getElementTypeOrSelf(arithmetic.getType()).getIntOrFloatBitWidth() < minBits) {
      return false;
    }
    arithmetic.setFastmath(arithmetic.getFastmath() | arith::FastMathFlags::contract);
    return true;
  }
};

} // namespace
