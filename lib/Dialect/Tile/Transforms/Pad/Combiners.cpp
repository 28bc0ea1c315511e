// If each result of the combiner is one operation with an identity, such as an addition, the padding becomes that
// identity. Any other combiner takes one more operand, which says whether the others are elements of the tile:
//
//     (l, lhsIsElement, r, rhsIsElement) -> both ? combine(l, r) : lhsIsElement ? l : r,
//                                           lhsIsElement | rhsIsElement

#include "Combiners.h"

#include "Inside.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::tile {

static TypedAttr integer(Type type, const APInt &value) { return IntegerAttr::get(type, value); }

static TypedAttr number(Type type, llvm::function_ref<APFloat(const llvm::fltSemantics &)> make) {
  auto element = cast<FloatType>(type);
  return FloatAttr::get(element, make(element.getFloatSemantics()));
}

/// The value that does not change the other operand of `op`; null if the operation has none.
static TypedAttr identityOf(Operation *op) {
  Type type = op->getResult(0).getType();
  // Types of fewer bits may lack a negative zero or an infinity.
  if (!type.isIntOrFloat() || (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 16)) {
    return {};
  }
  unsigned width = type.getIntOrFloatBitWidth();
  return llvm::TypeSwitch<Operation *, TypedAttr>(op)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return integer(type, APInt::getZero(width)); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return integer(type, APInt::getAllOnes(width)); })
      .Case([&](arith::MulIOp) { return integer(type, APInt(width, 1)); })
      .Case([&](arith::MaxSIOp) { return integer(type, APInt::getSignedMinValue(width)); })
      .Case([&](arith::MinSIOp) { return integer(type, APInt::getSignedMaxValue(width)); })
      // -0.0, because the sum of -0.0 and 0.0 is 0.0.
      .Case([&](arith::AddFOp) { return number(type, [](auto &kind) { return APFloat::getZero(kind, true); }); })
      .Case([&](arith::MulFOp) { return number(type, [](auto &kind) { return APFloat::getOne(kind); }); })
      .Case<arith::MaxNumFOp, arith::MinNumFOp>(
          [&](auto) { return number(type, [](auto &kind) { return APFloat::getQNaN(kind); }); })
      .Case([&](arith::MaximumFOp) { return number(type, [](auto &kind) { return APFloat::getInf(kind, true); }); })
      .Case([&](arith::MinimumFOp) { return number(type, [](auto &kind) { return APFloat::getInf(kind); }); })
      .Default([](Operation *) { return TypedAttr(); });
}

/// The identity of the combiner for each operand; empty if one has none.
static SmallVector<TypedAttr> identities(Block &combiner) {
  SmallVector<TypedAttr> found;
  unsigned count = combiner.getNumArguments() / 2;
  for (auto [i, result] : llvm::enumerate(combiner.getTerminator()->getOperands())) {
    Operation *op = result.getDefiningOp();
    BlockArgument lhs = combiner.getArgument(i), rhs = combiner.getArgument(i + count);
    bool combines = op && op->getBlock() == &combiner && op->getNumOperands() == 2 &&
                    (op->getOperands() == ValueRange{lhs, rhs} || op->getOperands() == ValueRange{rhs, lhs});
    TypedAttr identity = combines ? identityOf(op) : TypedAttr();
    if (!identity) {
      return {};
    }
    found.push_back(identity);
  }
  return found;
}

/// Moves the combiner to `block`, whose arguments also say which sides are elements, and lets it choose by them.
static void chooseElements(OpBuilder &builder, Location loc, Block &combiner, Block &block) {
  unsigned count = combiner.getNumArguments() / 2;
  auto lhs = block.getArguments().take_front(count), rhs = block.getArguments().slice(count + 1, count);
  Value lhsIsElement = block.getArgument(count), rhsIsElement = block.getArgument(2 * count + 1);
  builder.setInsertionPointToEnd(&block);
  IRMapping mapping;
  mapping.map(combiner.getArguments().take_front(count), lhs);
  mapping.map(combiner.getArguments().take_back(count), rhs);
  for (Operation &op : combiner.without_terminator()) {
    builder.clone(op, mapping);
  }
  auto isTrue = [&](Value flag) -> Value { return arith::TruncIOp::create(builder, loc, builder.getI1Type(), flag); };
  Value both = isTrue(arith::AndIOp::create(builder, loc, lhsIsElement, rhsIsElement)), left = isTrue(lhsIsElement);
  SmallVector<Value> results;
  for (auto [combined, l, r] : llvm::zip_equal(combiner.getTerminator()->getOperands(), lhs, rhs)) {
    Value one = arith::SelectOp::create(builder, loc, left, l, r);
    results.push_back(arith::SelectOp::create(builder, loc, both, mapping.lookupOrDefault(combined), one));
  }
  results.push_back(arith::OrIOp::create(builder, loc, lhsIsElement, rhsIsElement));
  YieldOp::create(builder, loc, results);
}

/// Replaces the operation by one with an operand more, which says which elements are inside.
template <typename OpTy> static void addFlags(OpTy op, Value inside) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type i32 = builder.getI32Type();
  auto type = cast<RankedTensorType>(inside.getType()).clone(i32);
  SmallVector<Value> operands(op.getOperands());
  operands.push_back(arith::ExtUIOp::create(builder, loc, type, inside));
  auto flagged =
      OpTy::create(builder, loc, operands, op.getProperties(), op->getDiscardableAttrDictionary().getValue());
  Block &combiner = op->getRegion(0).front();
  unsigned count = op->getNumOperands();
  SmallVector<Type> types(TypeRange(combiner.getArgumentTypes()).take_front(count));
  types.push_back(i32);
  types.append(SmallVector<Type>(types));
  Block &block = flagged->getRegion(0).emplaceBlock();
  block.addArguments(types, SmallVector<Location>(types.size(), loc));
  chooseElements(builder, loc, combiner, block);
  op->replaceAllUsesWith(flagged->getResults().take_front(count));
  op->erase();
}

template <typename OpTy> static void ignore(OpTy op, ArrayRef<int64_t> sizes) {
  OpBuilder builder(op);
  Value inside = isInside(builder, op.getLoc(), sizes, op.getAxis());
  if (!inside) {
    return;
  }
  SmallVector<TypedAttr> neutral = identities(op->getRegion(0).front());
  if (neutral.empty()) {
    return addFlags(op, inside);
  }
  for (auto [operand, identity] : llvm::zip_equal(op->getOpOperands(), neutral)) {
    operand.set(selectInside(builder, op.getLoc(), inside, operand.get(), identity));
  }
}

void ignorePadding(ReduceOp reduce, ArrayRef<int64_t> sizes) { ignore(reduce, sizes); }

void ignorePadding(ScanOp scan, ArrayRef<int64_t> sizes) {
  if (scan.getReverse()) {
    ignore(scan, sizes);
  }
}

} // namespace tilewright::tile
