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
  Location loc = sum.getLoc();
  Value factor = product.getLhs(), addend = isLeft ? right : left;
  if (isDifference) {
    Value &negated = isLeft ? addend : factor;
    negated = arith::NegFOp::create(b, loc, negated);
  }
  arith::FastMathFlags flags = sum.getFastmath() & product.getFastmath();
  Value fused = math::FmaOp::create(b, loc, factor, product.getRhs(), addend, flags);
  sum.replaceAllUsesWith(fused);
  sum.erase();
  product.erase();
}

template <typename Op> static void allowContraction(Op op) {
  op.setFastmath(op.getFastmath() | arith::FastMathFlags::contract);
}

/// The addition by which the reduction combines the elements of an operand, if it does nothing else with them.
static arith::AddFOp additionOf(tile::ReduceOp reduce, unsigned operand) {
  Block &combiner = reduce.getCombiner().front();
  Value left = combiner.getArgument(operand), right = combiner.getArgument(operand + reduce.getNumOperands());
  auto sum = combiner.getTerminator()->getOperand(operand).getDefiningOp<arith::AddFOp>();
  bool addsOnly =
      sum && left.hasOneUse() && right.hasOneUse() && *left.user_begin() == sum && *right.user_begin() == sum;
  return addsOnly ? sum : arith::AddFOp();
}

/// Allows the back end to fuse the multiplications whose results `reduce` adds up.
static void fuseReduced(tile::ReduceOp reduce) {
  for (auto [index, operand] : llvm::enumerate(reduce.getOperands())) {
    arith::MulFOp product = fusableProduct(operand, reduce);
    arith::AddFOp sum = product ? additionOf(reduce, index) : arith::AddFOp();
    if (sum) {
      allowContraction(product);
      allowContraction(sum);
    }
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
