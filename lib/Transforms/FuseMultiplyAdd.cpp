// fuse-multiply-add: makes a product and a sum one operation with one rounding. See Passes.td.

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_FUSEMULTIPLYADD
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

/// The product that the operand of `sum` is, if it has no other use.
static arith::MulFOp fusableProduct(Value operand, Operation *sum) {
  auto product = operand.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() && product->getBlock() == sum->getBlock() ? product : arith::MulFOp();
}

static Value negate(OpBuilder &b, Value value) { return arith::NegFOp::create(b, value.getLoc(), value); }

/// Replaces `left + right`, or `left - right`, if one of them is a product.
template <typename Op> static void fuse(Op sum) {
  constexpr bool isDifference = std::is_same_v<Op, arith::SubFOp>;
  Value left = sum.getLhs(), right = sum.getRhs();
  arith::MulFOp product = fusableProduct(left, sum);
  bool isLeft = static_cast<bool>(product);
  product = isLeft ? product : fusableProduct(right, sum);
  if (!product) {
    return;
  }
  OpBuilder b(sum);
  Value factor = product.getLhs(), addend = isLeft ? right : left;
  if (isDifference) {
    (isLeft ? addend : factor) = negate(b, isLeft ? addend : factor);
  }
  sum.replaceAllUsesWith(math::FmaOp::create(b, sum.getLoc(), factor, product.getRhs(), addend).getResult());
  sum.erase();
  product.erase();
}

template <typename Op> static void allowContraction(Op op) {
  op.setFastmath(op.getFastmath() | arith::FastMathFlags::contract);
}

/// Allows the back end to fuse the products that `reduce` adds up with its sums.
static void fuseReduced(tile::ReduceOp reduce) {
  auto sums = reduce.getCombiner().getOps<arith::AddFOp>();
  bool hasProducts = false;
  for (Value operand : reduce.getOperands()) {
    if (arith::MulFOp product = fusableProduct(operand, reduce); product && !sums.empty()) {
      allowContraction(product);
      hasProducts = true;
    }
  }
  if (hasProducts) {
    llvm::for_each(sums, [](arith::AddFOp sum) { allowContraction(sum); });
  }
}

namespace {
struct FuseMultiplyAdd : tilewright::impl::FuseMultiplyAddBase<FuseMultiplyAdd> {
  using FuseMultiplyAddBase::FuseMultiplyAddBase;

  void runOnOperation() override {
    SmallVector<Operation *> candidates;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp, tile::ReduceOp>(op) &&
          llvm::all_of(op->getOperandTypes(), [&](Type type) { return isFused(type); })) {
        candidates.push_back(op);
      }
    });
    for (Operation *op : candidates) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<arith::AddFOp, arith::SubFOp>([](auto sum) { fuse(sum); })
          .Case([](tile::ReduceOp reduce) { fuseReduced(reduce); });
    }
  }

  bool isFused(Type type) const {
    Type element = tile::getElementType(type);
    return element.isF32() || element.isF64() || (narrow && (element.isF16() || element.isBF16()));
  }
};
} // namespace
