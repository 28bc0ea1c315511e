// Axis properties of the tile dialect's operations: shapes and pointers.

#include "tilewright/Analysis/AxisTransfer.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using axis::Operands;
using Result = std::optional<AxisInfo>;
using Properties = SmallVector<AxisProperties>;

/// `src` with other properties per dimension; a constant stays a constant.
static AxisInfo withProperties(const AxisInfo &src, Type type, ArrayRef<AxisProperties> properties) {
  return src.getConstant() ? AxisInfo::constant(type, *src.getConstant()) : AxisInfo(type, properties, src.mayWrap());
}

/// Properties of a dimension whose groups have one element.
static AxisProperties singleProperties(const AxisInfo &src) {
  AxisProperties fact;
  fact.divisibility = src.getDivisibilityOfAll();
  return fact;
}

//===----------------------------------------------------------------------===//
// Creating and reshaping tiles
//===----------------------------------------------------------------------===//

/// Aligned groups of c positions start at start + k * c.
static Result visit(MakeRangeOp op, Operands) {
  AxisProperties fact;
  fact.contiguity = axis::powerOfTwoIn(op.getType().getNumElements());
  fact.divisibility = axis::powerOfTwoIn(op.getStart());
  if (fact.contiguity < op.getType().getNumElements()) {
    fact.divisibility = std::min(fact.divisibility, fact.contiguity);
  }
  bool wraps = static_cast<int32_t>(op.getEnd() - 1) < static_cast<int32_t>(op.getStart());
  return AxisInfo(op.getType(), fact, wraps);
}

static Result visit(SplatOp op, Operands operands) {
  AxisProperties fact;
  fact.divisibility = operands[0]->getDivisibility(0);
  fact.constancy = AxisInfo::kMaxDivisibility;
  size_t rank = std::max<size_t>(getShape(op.getType()).size(), 1);
  return withProperties(*operands[0], op.getType(), Properties(rank, fact));
}

static Result visit(BroadcastOp op, Operands operands) {
  Properties properties(operands[0]->getProperties());
  ArrayRef<int64_t> from = getShape(op.getSrc().getType()), to = getShape(op.getType());
  for (auto [fact, fromSize, toSize] : llvm::zip(properties, from, to)) {
    if (fromSize != toSize) {
      fact.constancy = AxisInfo::kMaxDivisibility;
    }
  }
  return withProperties(*operands[0], op.getType(), properties);
}

static Result visit(ExpandDimsOp op, Operands operands) {
  Properties properties(operands[0]->getProperties());
  if (getShape(op.getSrc().getType()).empty()) {
    properties.clear();
  }
  properties.insert(properties.begin() + op.getAxis(), singleProperties(*operands[0]));
  return withProperties(*operands[0], op.getType(), properties);
}

static Result visit(TransOp op, Operands operands) {
  Properties properties;
  for (int32_t dim : op.getOrder()) {
    properties.push_back((*operands[0])[dim]);
  }
  return properties.empty() ? *operands[0] : withProperties(*operands[0], op.getType(), properties);
}

static Result visit(ReshapeOp op, Operands operands) {
  const AxisInfo &src = *operands[0];
  if (op.getAllowReorder() && !src.getConstant()) {
    size_t rank = std::max<size_t>(getShape(op.getType()).size(), 1);
    return AxisInfo(op.getType(), Properties(rank, singleProperties(src)));
  }
  return axis::reshape(src, op.getSrc().getType(), op.getType());
}

/// Each position of the new dimension holds one of the two tiles.
static Result visit(JoinOp op, Operands operands) {
  AxisInfo both = AxisInfo::join(*operands[0], *operands[1]);
  Properties properties(both.getProperties());
  if (getShape(op.getLhs().getType()).empty()) {
    properties.clear();
  }
  properties.push_back(singleProperties(both));
  return withProperties(both, op.getType(), properties);
}

static Result visit(SplitOp op, Operands operands) {
  Properties properties(operands[0]->getProperties().drop_back());
  if (properties.empty()) {
    properties.push_back(singleProperties(*operands[0]));
  }
  return withProperties(*operands[0], op.getLhs().getType(), properties);
}

static Result visit(CatOp op, Operands operands) {
  AxisInfo both = AxisInfo::join(*operands[0], *operands[1]);
  return withProperties(both, op.getType(), both.getProperties());
}

//===----------------------------------------------------------------------===//
// Pointers and memory
//===----------------------------------------------------------------------===//

/// Offsets are in elements, divisibility is in bytes. Offsets narrower than 64 bits are sign-extended; those of 64 bits
/// wrap like addresses.
static Result visit(AddPtrOp op, Operands operands) {
  bool isWide = getElementType(op.getOffset().getType()).getIntOrFloatBitWidth() >= 64;
  Properties properties;
  for (unsigned dim = 0; dim < operands[0]->getRank(); ++dim) {
    const AxisProperties &ptr = (*operands[0])[dim];
    AxisProperties offset = isWide ? (*operands[1])[dim] : operands[1]->getSigned(dim);
    AxisProperties &fact = properties.emplace_back();
    fact.contiguity = std::max(std::min(ptr.contiguity, offset.constancy), std::min(ptr.constancy, offset.contiguity));
    fact.divisibility =
        std::min(ptr.divisibilityAt(fact.contiguity), offset.divisibilityAt(fact.contiguity) * ptr.unit);
    fact.constancy = std::min(ptr.constancy, offset.constancy);
  }
  return AxisInfo(op.getType(), properties);
}

/// The address stays the same; runs stay consecutive if the unit does not change.
static Result visitAddressCast(Type type, const AxisInfo &src) {
  AxisInfo result = AxisInfo::unknown(type);
  Properties properties(src.getProperties());
  for (auto [dim, fact] : llvm::enumerate(properties)) {
    if (fact.unit != result[dim].unit) {
      fact.divisibility = fact.divisibilityAt(1);
      fact.contiguity = 1;
    }
  }
  return AxisInfo(type, properties);
}

/// Equal addresses under equal masks give equal elements.
static Result visit(LoadOp op, Operands operands) {
  if (op.getIsVolatile()) {
    return std::nullopt;
  }
  return axis::transferElementwise(op, operands);
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {
/// Operations with a rule above.
template <typename Op> struct Rule : AxisTransferOpInterface::ExternalModel<Rule<Op>, Op> {
  Result transferAxisProperties(Operation *op, Operands operands) const { return visit(cast<Op>(op), operands); }
};

template <typename Op> struct AddressCast : AxisTransferOpInterface::ExternalModel<AddressCast<Op>, Op> {
  Result transferAxisProperties(Operation *op, Operands operands) const {
    return visitAddressCast(op->getResult(0).getType(), *operands[0]);
  }
};

template <template <typename> class Model, typename... Ops> void attach(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}
} // namespace

void axis::attachTileTransfer(MLIRContext *context) {
  attach<Rule, MakeRangeOp, SplatOp, BroadcastOp, ExpandDimsOp, TransOp, ReshapeOp, JoinOp, SplitOp, CatOp, AddPtrOp,
         LoadOp>(context);
  attach<AddressCast, PtrCastOp, IntToPtrOp, PtrToIntOp>(context);
}
