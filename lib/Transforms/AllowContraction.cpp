// allow-contraction: allows the contraction of multiplications and additions. See Passes.td.

#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright {
#define GEN_PASS_DEF_ALLOWCONTRACTION
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

namespace {

template <typename Op> bool allow(Operation *op) {
  auto arithmetic = dyn_cast<Op>(op);
  if (!arithmetic) {
    return false;
  }
  arithmetic.setFastmath(arithmetic.getFastmath() | arith::FastMathFlags::contract);
  return true;
}

struct AllowContraction : tilewright::impl::AllowContractionBase<AllowContraction> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      (void)(allow<arith::AddFOp>(op) || allow<arith::SubFOp>(op) || allow<arith::MulFOp>(op));
    });
  }
};

} // namespace
