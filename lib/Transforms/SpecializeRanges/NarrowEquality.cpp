#include "NarrowEquality.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {
namespace {

/// The operands of an equality.
struct Sides {
  Value wide; ///< indices, extended before or after they are spread; null if there is none
  Operation *extension;
  Operation *spread; ///< of the other operand, from a scalar or a smaller tile
};

} // namespace

static bool movesElements(Operation *op) { return isa_and_nonnull<tile::BroadcastOp, tile::ExpandDimsOp>(op); }

/// The extension of a tile, or of a smaller one from which it is spread; null if there is none.
static Operation *extensionOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (movesElements(op)) {
    op = op->getOperand(0).getDefiningOp();
  }
  return isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op) ? op : nullptr;
}

static Sides sidesOf(arith::CmpIOp compare) {
  auto predicate = compare.getPredicate();
  bool isEquality = predicate == arith::CmpIPredicate::eq || predicate == arith::CmpIPredicate::ne;
  for (bool swaps : {false, true}) {
    Value wide = compare->getOperand(swaps ? 1 : 0);
    Operation *extension = extensionOf(wide), *spread = compare->getOperand(swaps ? 0 : 1).getDefiningOp();
    if (isEquality && extension && isa_and_nonnull<tile::SplatOp, tile::BroadcastOp>(spread)) {
      return {wide, extension, spread};
    }
  }
  return {};
}

/// Whether the integer is negative only if signed arithmetic wraps. `depth` limits the search.
static bool isCount(Value value, int depth = 8) {
  if (depth == 0) {
    return false;
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    return !constant.isNegative();
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && !loop.getUnsignedCmp() && argument == loop.getInductionVar() &&
           isCount(loop.getLowerBound(), depth - 1);
  }
  return TypeSwitch<Operation *, bool>(value.getDefiningOp())
      .Case([](tile::MakeRangeOp range) { return static_cast<int32_t>(range.getStart()) >= 0; })
      .Case<tile::ProgramIdOp, tile::NumProgramsOp>([](Operation *) { return true; })
      .Case<arith::AddIOp, arith::MulIOp, tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp>([&](Operation *op) {
        return llvm::all_of(op->getOperands(), [&](Value operand) { return isCount(operand, depth - 1); });
      })
      .Default([](Operation *) { return false; });
}

Value findNarrowIndices(arith::CmpIOp compare) {
  Sides sides = sidesOf(compare);
  if (!sides.extension) {
    return {};
  }
  Value indices = sides.extension->getOperand(0);
  return isCount(indices) ? indices : Value();
}

/// What the operation makes of another operand with as many elements.
static Value cloneWith(OpBuilder &b, Operation *op, Value operand) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType()).clone(getElementTypeOrSelf(operand.getType()));
  OperationState state(op->getLoc(), op->getName(), operand, type, op->getAttrs());
  return b.create(state)->getResult(0);
}

/// The same tile without the extension.
static Value withoutExtension(OpBuilder &b, Value tile, Operation *extension) {
  Operation *op = tile.getDefiningOp();
  Value source = op->getOperand(0);
  return op == extension ? source : cloneWith(b, op, withoutExtension(b, source, extension));
}

/// The number is computed before it is spread: once, and outside of loops if it is spread there.
void narrowEquality(arith::CmpIOp compare) {
  auto [wide, extension, spread] = sidesOf(compare);
  OpBuilder atCompare(compare);
  Value indices = withoutExtension(atCompare, wide, extension), number = spread->getOperand(0);
  unsigned bits = getElementTypeOrSelf(indices.getType()).getIntOrFloatBitWidth();
  OpBuilder b(spread);
  Location loc = compare.getLoc();
  unsigned wideBits = getElementTypeOrSelf(number.getType()).getIntOrFloatBitWidth();
  Value most = createScalarOrSplatConstant(b, loc, number.getType(), APInt::getSignedMaxValue(bits).zext(wideBits));
  Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, number, most);
  Type narrow = b.getIntegerType(bits);
  if (auto tile = dyn_cast<RankedTensorType>(number.getType())) {
    narrow = tile.clone(narrow);
  }
  Value cut = arith::TruncIOp::create(b, loc, narrow, number);
  Value none = createScalarOrSplatConstant(b, loc, narrow, APInt::getAllOnes(bits));
  cut = arith::SelectOp::create(b, loc, fits, cut, none);
  compare.getLhsMutable().assign(indices);
  compare.getRhsMutable().assign(cloneWith(b, spread, cut));
}

} // namespace tilewright
