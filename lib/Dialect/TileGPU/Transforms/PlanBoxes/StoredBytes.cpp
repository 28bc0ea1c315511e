#include "StoredBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::tilegpu {

// In single precision, which does not overflow, and without a division, which could be a call.

static Value constant(OpBuilder &builder, Location loc, double value) {
  return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(static_cast<float>(value)));
}

static Value toI64(OpBuilder &builder, scf::ForOp loop, Value bound) {
  Type type = builder.getI64Type();
  if (bound.getType() == type) {
    return bound;
  }
  return loop.getUnsignedCmp() ? arith::ExtUIOp::create(builder, loop.getLoc(), type, bound).getResult()
                               : arith::ExtSIOp::create(builder, loop.getLoc(), type, bound).getResult();
}

namespace {
/// A product, and another one by which it is divided.
class Quotient {
public:
  Quotient(OpBuilder &builder, Location loc, double product, double divisor)
      : builder(builder), loc(loc), product(constant(builder, loc, product)), divisor(constant(builder, loc, divisor)) {
  }

  void multiply(Value integer) { product = arith::MulFOp::create(builder, loc, product, toFloat(integer)); }
  void divide(Value integer) { divisor = arith::MulFOp::create(builder, loc, divisor, toFloat(integer)); }

  /// By the iterations of a loop, whose bounds are known at the builder's place.
  void multiply(scf::ForOp loop) {
    Value length = arith::SubIOp::create(builder, loc, toI64(builder, loop, loop.getUpperBound()),
                                         toI64(builder, loop, loop.getLowerBound()));
    multiply(length);
    divide(toI64(builder, loop, loop.getStep()));
  }

  Value emitExceedsOne() { return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, product, divisor); }

private:
  Value toFloat(Value integer) { return arith::SIToFPOp::create(builder, loc, builder.getF32Type(), integer); }

  OpBuilder &builder;
  Location loc;
  Value product, divisor;
};
} // namespace

Value emitStoresMoreThan(tile::StoreOp store, int64_t limit) {
  SmallVector<scf::ForOp> loops;
  Operation *outermost = store;
  for (Operation *around = store->getParentOp(); isa<scf::SCFDialect>(around->getDialect());
       around = around->getParentOp()) {
    outermost = around;
    if (auto loop = dyn_cast<scf::ForOp>(around)) {
      loops.push_back(loop);
    }
  }
  OpBuilder builder(outermost);
  Location loc = store.getLoc();
  auto type = cast<RankedTensorType>(store.getValue().getType());
  int64_t bytes = type.getNumElements() * (type.getElementTypeBitWidth() / 8);
  Quotient stored(builder, loc, static_cast<double>(bytes), static_cast<double>(limit));
  for (int32_t axis = 0; axis < 3; ++axis) {
    stored.multiply(tile::NumProgramsOp::create(builder, loc, axis));
  }
  for (scf::ForOp loop : loops) {
    bool isKnown = llvm::all_of(loop->getOperands().take_front(loop.getNumControlOperands()), [&](Value bound) {
      return !outermost->isAncestor(bound.getParentBlock()->getParentOp());
    });
    if (isKnown) {
      stored.multiply(loop);
    }
  }
  return stored.emitExceedsOne();
}

} // namespace tilewright::tilegpu
