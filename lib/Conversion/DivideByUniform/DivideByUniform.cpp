// A vector whose elements share a divisor, or a few, is multiplied by its
// reciprocal. On a host a division occupies the divider for 16 cycles a register,
// a product for half of one; on a GPU it is eight instructions.
//
//     %q = arith.divf %x, broadcast(%d)      %s = 2^64 if |d| < 2^-64, 2^-64 if |d| > 2^64, else 1
//                                            %r = 1 / (d * s)
//                                            %q = (%x * broadcast(%s)) * broadcast(%r)
//
// The power of two keeps the reciprocal out of the denormals and off infinity,
// so zero, infinity and denormals give what division gives. Two roundings
// instead of one: the result is off by less than 1.5 ulp, where the language
// allows `/` on float32 2 ulp. `tl.div_rn` sets `tile.precise` and stays.

#include "tilewright/Conversion/MathBuilder.h"
#include "tilewright/Conversion/Passes.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilewright {
#define GEN_PASS_DEF_DIVIDEBYUNIFORM
#include "tilewright/Conversion/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

/// What the pass asks for: at least so many elements have the same divisor.
constexpr int64_t kShare = 2;

int64_t countElements(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

/// A shuffle of one vector.
bool repeatsOne(vector::ShuffleOp op) {
  return op.getV1() == op.getV2() ||
         llvm::all_of(op.getMask(), [&](int64_t index) { return index < op.getV1VectorType().getNumElements(); });
}

/// The different divisors, where the pass applies.
Value findDivisors(arith::DivFOp op) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type || !type.getElementType().isF32() || op->hasAttr(tile::TileDialect::kPreciseAttr)) {
    return {};
  }
  Value divisors;
  if (auto splat = op.getRhs().getDefiningOp<vector::BroadcastOp>()) {
    divisors = splat.getSource();
  } else if (auto shuffle = op.getRhs().getDefiningOp<vector::ShuffleOp>(); shuffle && repeatsOne(shuffle)) {
    divisors = shuffle.getV1();
  }
  return divisors && countElements(divisors.getType()) * kShare <= type.getNumElements() ? divisors : Value();
}

/// `value`, spread over the elements as the divisors are.
Value spread(OpBuilder &b, Value value, Operation *how) {
  if (auto shuffle = dyn_cast<vector::ShuffleOp>(how)) {
    return vector::ShuffleOp::create(b, how->getLoc(), value, value, shuffle.getMask());
  }
  return vector::BroadcastOp::create(b, how->getLoc(), how->getResult(0).getType(), value);
}

void rewrite(arith::DivFOp op, Value divisors) {
  Operation *how = op.getRhs().getDefiningOp();
  // Computed where the divisors are, outside of the loop over their uses.
  ImplicitLocOpBuilder b(op.getLoc(), op);
  b.setInsertionPointAfterValue(divisors);
  MathBuilder m(b, divisors.getType());
  Value size = m.abs(divisors);
  Value scale = m.select(m.less(size, m.f(0x1p-64)), m.f(0x1p64), m.f(1));
  scale = m.select(m.less(m.f(0x1p64), size), m.f(0x1p-64), scale);
  Value reciprocal = m.div(m.f(1), m.mul(divisors, scale));
  reciprocal.getDefiningOp()->setAttr(tile::TileDialect::kPreciseAttr, b.getUnitAttr());

  b.setInsertionPoint(op);
  Value product = m.mul(op.getLhs(), spread(b, scale, how));
  op.replaceAllUsesWith(m.mul(product, spread(b, reciprocal, how)));
  op.erase();
}

struct DivideByUniform : impl::DivideByUniformBase<DivideByUniform> {
  void runOnOperation() override {
    getOperation()->walk([](arith::DivFOp op) {
      if (Value divisors = findDivisors(op)) {
        rewrite(op, divisors);
      }
    });
  }
};

} // namespace
} // namespace tilewright
