// A vector divided by one number is multiplied by its reciprocal: a division
// occupies the divider for 16 cycles a register, a product for half of one.
//
//     %q = arith.divf %x, broadcast(%d)      %s = 2^64 if |d| < 2^-64, 2^-64 if |d| > 2^64, else 1
//                                            %r = 1 / (d * s)
//                                            %q = (%x * broadcast(%s)) * broadcast(%r)
//
// The power of two keeps the reciprocal out of the denormals and off infinity,
// so zero, infinity and denormals give what division gives. Two roundings
// instead of one: the result is off by less than 1.5 ulp, where the language
// allows `/` on float32 2 ulp. `tl.div_rn` sets `tile.precise` and stays.

#include "tilewright/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilewright {
#define GEN_PASS_DEF_DIVIDEBYUNIFORM
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

/// The scalar that all lanes of the divisor hold, where the pass applies.
Value findUniformDivisor(arith::DivFOp op) {
  auto type = dyn_cast<VectorType>(op.getType());
  auto splat = op.getRhs().getDefiningOp<vector::BroadcastOp>();
  if (!type || !type.getElementType().isF32() || op->hasAttr("tile.precise") || !splat) {
    return {};
  }
  Value divisor = splat.getSource();
  return isa<FloatType>(divisor.getType()) ? divisor : Value();
}

void rewrite(arith::DivFOp op, Value divisor) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  // The scalars are computed where the divisor is, outside of the loop over its uses.
  OpBuilder scalars(op);
  scalars.setInsertionPointAfterValue(divisor);
  auto number = [&](float value) -> Value { return arith::ConstantOp::create(scalars, loc, b.getF32FloatAttr(value)); };
  auto choose = [&](arith::CmpFPredicate order, Value size, float limit, float scale, Value otherwise) -> Value {
    Value beyond = arith::CmpFOp::create(scalars, loc, order, size, number(limit));
    return arith::SelectOp::create(scalars, loc, beyond, number(scale), otherwise);
  };
  Value size = math::AbsFOp::create(scalars, loc, divisor);
  Value scale = choose(arith::CmpFPredicate::OLT, size, 0x1p-64f, 0x1p64f, number(1));
  scale = choose(arith::CmpFPredicate::OGT, size, 0x1p64f, 0x1p-64f, scale);
  Value scaled = arith::MulFOp::create(scalars, loc, divisor, scale);
  Value reciprocal = arith::DivFOp::create(scalars, loc, number(1), scaled);

  auto spread = [&](Value value) -> Value { return vector::BroadcastOp::create(b, loc, op.getType(), value); };
  Value product = arith::MulFOp::create(b, loc, op.getLhs(), spread(scale));
  op.replaceAllUsesWith(arith::MulFOp::create(b, loc, product, spread(reciprocal)).getResult());
  op.erase();
}

struct DivideByUniform : impl::DivideByUniformBase<DivideByUniform> {
  void runOnOperation() override {
    getOperation()->walk([](arith::DivFOp op) {
      if (Value divisor = findUniformDivisor(op)) {
        rewrite(op, divisor);
      }
    });
  }
};

} // namespace
} // namespace tilewright
