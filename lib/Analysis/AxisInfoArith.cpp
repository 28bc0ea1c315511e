// Axis properties of arithmetic. Every rule considers one dimension. `aligned` below is the length of groups in which
// the left side is consecutive from a multiple of that length, and the right side has one value, also a multiple of it:
//
//     lhs   16 17 18 19 20 21 22 23      contiguity 8, divisibility 16
//     rhs    4  4  4  4  4  4  4  4      constancy 8, divisibility 4
//     aligned = 4:  lhs / rhs   4 4 4 4 | 5 5 5 5       equal within a group
//                   lhs % rhs   0 1 2 3 | 0 1 2 3       consecutive within a group
//                   lhs < rhs   true for all of a group or for none of it

#include "tilewright/Analysis/AxisTransfer.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using axis::Operands;
using Result = std::optional<AxisInfo>;
using Properties = SmallVector<AxisProperties>;

/// Applies a rule for one dimension, `AxisProperties(lhs, rhs)`, to each dimension, for an operation that computes
/// modulo a power of two.
template <typename Rule> static AxisInfo eachModular(Operation *op, Operands operands, bool wraps, Rule rule) {
  Properties properties;
  for (auto [lhs, rhs] : llvm::zip_equal(operands[0]->getProperties(), operands[1]->getProperties())) {
    properties.push_back(rule(lhs, rhs));
  }
  return AxisInfo(op->getResult(0).getType(), properties, wraps);
}

/// The same for an operation on the signed values of its operands, for which a run that wraps is not consecutive.
template <typename Rule> static AxisInfo eachDimension(Operation *op, Operands operands, Rule rule) {
  Properties properties;
  for (unsigned dim = 0; dim < operands[0]->getRank(); ++dim) {
    properties.push_back(rule(operands[0]->getSigned(dim), operands[1]->getSigned(dim)));
  }
  return AxisInfo(op->getResult(0).getType(), properties);
}

static int64_t min4(int64_t a, int64_t b, int64_t c, int64_t d) { return std::min(std::min(a, b), std::min(c, d)); }

/// See the top of this file.
static int64_t aligned(const AxisProperties &lhs, const AxisProperties &rhs) {
  return min4(lhs.contiguity, lhs.divisibility, rhs.constancy, rhs.divisibilityAt(rhs.constancy));
}

static int64_t bothConstant(const AxisProperties &lhs, const AxisProperties &rhs) {
  return std::min(lhs.constancy, rhs.constancy);
}

/// The divisor of both sides at the start of groups of size `group`.
static int64_t bothDivisible(const AxisProperties &lhs, const AxisProperties &rhs, int64_t group) {
  return std::min(lhs.divisibilityAt(group), rhs.divisibilityAt(group));
}

//===----------------------------------------------------------------------===//
// Addition and multiplication
//===----------------------------------------------------------------------===//

static AxisProperties addProperties(const AxisProperties &lhs, const AxisProperties &rhs) {
  AxisProperties fact;
  fact.contiguity = std::max(std::min(lhs.contiguity, rhs.constancy), std::min(lhs.constancy, rhs.contiguity));
  fact.divisibility = bothDivisible(lhs, rhs, fact.contiguity);
  fact.constancy = bothConstant(lhs, rhs);
  return fact;
}

/// If both sides are consecutive, their difference is constant.
static AxisProperties subProperties(const AxisProperties &lhs, const AxisProperties &rhs) {
  AxisProperties fact;
  fact.contiguity = std::min(lhs.contiguity, rhs.constancy);
  fact.divisibility = bothDivisible(lhs, rhs, fact.contiguity);
  fact.constancy = std::max(bothConstant(lhs, rhs), std::min(lhs.contiguity, rhs.contiguity));
  return fact;
}

/// Whether runs of the result may wrap: those of an operand may, or the operation itself may.
template <typename Op> static bool mayWrap(Op op, Operands operands) {
  bool isBounded = bitEnumContainsAny(op.getOverflowFlags(), arith::IntegerOverflowFlags::nsw);
  return !isBounded || llvm::any_of(operands, [](const AxisInfo *info) { return info->mayWrap(); });
}

static Result visit(arith::AddIOp op, Operands operands) {
  return eachModular(op, operands, mayWrap(op, operands), addProperties);
}

static Result visit(arith::SubIOp op, Operands operands) {
  return eachModular(op, operands, mayWrap(op, operands), subProperties);
}

static AxisInfo multiply(Operation *op, const AxisInfo &lhs, int64_t factor) {
  Properties properties(lhs.getProperties());
  for (AxisProperties &fact : properties) {
    if (factor != 1) {
      fact.divisibility = fact.divisibilityAt(1) * axis::powerOfTwoIn(factor);
      fact.contiguity = 1;
    }
  }
  return AxisInfo(op->getResult(0).getType(), properties, lhs.mayWrap());
}

static Result visit(arith::MulIOp op, Operands operands) {
  if (auto factor = operands[1]->getConstant()) {
    return multiply(op, *operands[0], *factor);
  }
  return eachModular(op, operands, false, [](const AxisProperties &lhs, const AxisProperties &rhs) {
    AxisProperties fact;
    fact.divisibility = lhs.divisibilityAt(1) * rhs.divisibilityAt(1);
    fact.constancy = bothConstant(lhs, rhs);
    return fact;
  });
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// Division rounding down: each group of size `aligned` has one quotient. Divisibility is only known for a constant
/// power of two.
static AxisProperties divideProperties(const AxisProperties &lhs, const AxisProperties &rhs,
                                       std::optional<int64_t> divisor) {
  int64_t group = aligned(lhs, rhs);
  AxisProperties fact;
  fact.constancy = std::max(bothConstant(lhs, rhs), group);
  if (divisor && *divisor > 0 && llvm::isPowerOf2_64(*divisor)) {
    fact.divisibility = std::max<int64_t>(lhs.divisibilityAt(group) / *divisor, 1);
  }
  return fact;
}

static Result divide(Operation *op, Operands operands, bool roundsDown) {
  std::optional<int64_t> divisor = operands[1]->getConstant();
  if (divisor == 1) {
    return *operands[0];
  }
  return eachDimension(op, operands, [&](const AxisProperties &lhs, const AxisProperties &rhs) {
    bool isExact = divisor && *divisor > 0 && lhs.divisibilityAt(1) % *divisor == 0;
    if (roundsDown || isExact) {
      return divideProperties(lhs, rhs, divisor);
    }
    AxisProperties fact;
    fact.constancy = bothConstant(lhs, rhs);
    return fact;
  });
}

static Result remainder(Operation *op, Operands operands, bool roundsDown) {
  return eachDimension(op, operands, [&](const AxisProperties &lhs, const AxisProperties &rhs) {
    AxisProperties fact;
    fact.contiguity = roundsDown ? aligned(lhs, rhs) : 1;
    fact.divisibility = bothDivisible(lhs, rhs, fact.contiguity);
    fact.constancy = bothConstant(lhs, rhs);
    return fact;
  });
}

/// Signed division rounds toward zero, which is down for nonnegative operands. If they are known to be nonnegative,
/// `specialize-ranges` has made the division unsigned.
static Result visit(arith::DivSIOp op, Operands operands) { return divide(op, operands, false); }
static Result visit(arith::DivUIOp op, Operands operands) { return divide(op, operands, true); }
static Result visit(arith::FloorDivSIOp op, Operands operands) {
  return divide(op, operands, operands[1]->getConstant().value_or(-1) > 0);
}
static Result visit(arith::RemSIOp op, Operands operands) { return remainder(op, operands, false); }
static Result visit(arith::RemUIOp op, Operands operands) { return remainder(op, operands, true); }

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// Low bits that are zero on the right become zero, low bits that are one are kept.
static Result visit(arith::AndIOp op, Operands operands) {
  int64_t ones = 1;
  if (auto mask = operands[1]->getConstant(); mask && *mask != -1) {
    ones = axis::powerOfTwoIn(~*mask);
  }
  return eachDimension(op, operands, [&](const AxisProperties &lhs, const AxisProperties &rhs) {
    AxisProperties fact;
    fact.contiguity = min4(lhs.contiguity, lhs.divisibility, ones, rhs.constancy);
    fact.divisibility = std::max(lhs.divisibilityAt(fact.contiguity), rhs.divisibilityAt(fact.contiguity));
    fact.constancy = std::max(bothConstant(lhs, rhs), aligned(lhs, rhs));
    return fact;
  });
}

/// If one side is consecutive in bits that are zero on the other side, or and xor are additions.
static Result orLike(Operation *op, Operands operands) {
  return eachDimension(op, operands, [](const AxisProperties &lhs, const AxisProperties &rhs) {
    AxisProperties fact;
    // NOLINTNEXTLINE(readability-suspicious-call-argument): either side may be the consecutive one
    fact.contiguity = std::max(aligned(lhs, rhs), aligned(rhs, lhs));
    fact.divisibility = bothDivisible(lhs, rhs, fact.contiguity);
    fact.constancy = bothConstant(lhs, rhs);
    return fact;
  });
}

/// 2 to the power of a constant shift amount that is valid for the type.
static std::optional<int64_t> shiftFactor(Operation *op, Operands operands) {
  std::optional<int64_t> bits = operands[1]->getConstant();
  if (!bits || *bits < 0 || *bits > 30 || *bits >= getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth()) {
    return std::nullopt;
  }
  return int64_t(1) << *bits;
}

static Result visit(arith::ShLIOp op, Operands operands) {
  if (auto factor = shiftFactor(op, operands)) {
    return multiply(op, *operands[0], *factor);
  }
  return eachDimension(op, operands, [](const AxisProperties &lhs, const AxisProperties &rhs) {
    AxisProperties fact;
    fact.divisibility = lhs.divisibilityAt(1);
    fact.constancy = bothConstant(lhs, rhs);
    return fact;
  });
}

/// Both right shifts divide, rounding down.
static Result shiftRight(Operation *op, Operands operands) {
  auto factor = shiftFactor(op, operands);
  if (!factor) {
    return axis::transferElementwise(op, operands);
  }
  if (*factor == 1) {
    return *operands[0];
  }
  AxisInfo divisor = AxisInfo::constant(op->getResult(0).getType(), *factor);
  return eachDimension(op, {operands[0], &divisor}, [&](const AxisProperties &lhs, const AxisProperties &rhs) {
    return divideProperties(lhs, rhs, factor);
  });
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

/// The groups in which both sides are consecutive, so that their order does not change. As unsigned numbers, -1 and 0
/// are not consecutive; only aligned groups cannot contain both.
static int64_t bothCounting(const AxisProperties &lhs, const AxisProperties &rhs, bool isUnsigned) {
  int64_t group = std::min(lhs.contiguity, rhs.contiguity);
  return isUnsigned ? std::min({group, lhs.divisibility, rhs.divisibility}) : group;
}

/// `counting < bound` and `counting >= bound` are uniform in aligned groups.
static int64_t comparedProperties(arith::CmpIPredicate predicate, const AxisProperties &lhs,
                                  const AxisProperties &rhs) {
  bool isUnsigned = predicate >= arith::CmpIPredicate::ult;
  int64_t together = std::max(bothConstant(lhs, rhs), bothCounting(lhs, rhs, isUnsigned));
  switch (predicate) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::uge:
    return std::max(together, aligned(lhs, rhs));
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::ule:
    // NOLINTNEXTLINE(readability-suspicious-call-argument): the greater side counts
    return std::max(together, aligned(rhs, lhs));
  case arith::CmpIPredicate::eq:
  case arith::CmpIPredicate::ne:
    return together;
  }
  llvm_unreachable("all predicates are listed");
}

static Result visit(arith::CmpIOp op, Operands operands) {
  return eachDimension(op, operands, [&](const AxisProperties &lhs, const AxisProperties &rhs) {
    AxisProperties fact;
    fact.constancy = comparedProperties(op.getPredicate(), lhs, rhs);
    return fact;
  });
}

/// If both sides are consecutive or both constant, so are minimum and maximum.
static Result minMax(Operation *op, Operands operands, bool isUnsigned) {
  return eachDimension(op, operands, [&](const AxisProperties &lhs, const AxisProperties &rhs) {
    AxisProperties fact;
    fact.contiguity = bothCounting(lhs, rhs, isUnsigned);
    fact.divisibility = bothDivisible(lhs, rhs, fact.contiguity);
    fact.constancy = bothConstant(lhs, rhs);
    return fact;
  });
}

static Result visit(arith::SelectOp op, Operands operands) {
  const AxisInfo &condition = *operands[0];
  if (auto known = condition.getConstant()) {
    return *operands[*known ? 1 : 2];
  }
  AxisInfo either = AxisInfo::join(*operands[1], *operands[2]);
  if (!isa<TensorType>(op.getCondition().getType())) {
    return either;
  }
  Properties properties;
  for (auto [cond, lhs, rhs] :
       llvm::zip_equal(condition.getProperties(), operands[1]->getProperties(), operands[2]->getProperties())) {
    AxisProperties &fact = properties.emplace_back();
    fact.contiguity = min4(lhs.contiguity, rhs.contiguity, cond.constancy, AxisInfo::kMaxDivisibility);
    fact.divisibility = bothDivisible(lhs, rhs, fact.contiguity);
    fact.constancy = std::min(cond.constancy, bothConstant(lhs, rhs));
  }
  // The constructor sets the unit of pointers from the type.
  return AxisInfo(op.getType(), properties, either.mayWrap());
}

/// Integer constants are handled by value; this is for splats of floating-point numbers.
static Result visit(arith::ConstantOp op, Operands) {
  if (!isa<SplatElementsAttr>(op.getValue())) {
    return std::nullopt;
  }
  AxisProperties fact;
  fact.constancy = AxisInfo::kMaxDivisibility;
  return AxisInfo(op.getType(), Properties(AxisInfo::unknown(op.getType()).getRank(), fact));
}

/// The same number in a wider type: a run that wraps in the narrower type is not consecutive there. In a zero
/// extension, runs of signed integers are only consecutive within aligned groups, as the sign bit may be set.
static Result extend(Operation *op, Operands operands, bool isSigned) {
  Properties properties;
  for (unsigned dim = 0; dim < operands[0]->getRank(); ++dim) {
    properties.push_back(isSigned ? operands[0]->getSigned(dim) : AxisInfo::cutToAligned((*operands[0])[dim]));
  }
  return AxisInfo(op->getResult(0).getType(), properties);
}

/// The low bits of consecutive values are consecutive modulo a power of two.
static Result truncate(Operation *op, Operands operands, bool wraps) {
  return AxisInfo(op->getResult(0).getType(), operands[0]->getProperties(), wraps);
}

static Result visit(arith::TruncIOp op, Operands operands) { return truncate(op, operands, mayWrap(op, operands)); }

/// Extends or truncates to or from index, which has 64 bits.
static Result castIndex(Operation *op, Operands operands, bool isSigned) {
  Type from = getElementTypeOrSelf(op->getOperand(0));
  bool extends = from.isInteger() && from.getIntOrFloatBitWidth() < 64;
  return extends ? extend(op, operands, isSigned) : truncate(op, operands, true);
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

namespace {
/// Operations with a rule of their own above.
template <typename Op> struct Rule : AxisTransferOpInterface::ExternalModel<Rule<Op>, Op> {
  Result transferAxisProperties(Operation *op, Operands operands) const { return visit(cast<Op>(op), operands); }
};

/// Operations that share the rule `Function`, with further arguments.
template <auto Function, auto... Arguments> struct Shared {
  template <typename Op> struct Model : AxisTransferOpInterface::ExternalModel<Model<Op>, Op> {
    Result transferAxisProperties(Operation *op, Operands operands) const {
      return Function(op, operands, Arguments...);
    }
  };
};

template <template <typename> class Model, typename... Ops> void attach(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}
} // namespace

void axis::attachArithTransfer(MLIRContext *context) {
  attach<Rule, arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
         arith::RemSIOp, arith::RemUIOp, arith::AndIOp, arith::ShLIOp, arith::CmpIOp, arith::SelectOp, arith::TruncIOp,
         arith::ConstantOp>(context);
  attach<Shared<orLike>::Model, arith::OrIOp, arith::XOrIOp>(context);
  attach<Shared<shiftRight>::Model, arith::ShRSIOp, arith::ShRUIOp>(context);
  attach<Shared<minMax, false>::Model, arith::MinSIOp, arith::MaxSIOp>(context);
  attach<Shared<minMax, true>::Model, arith::MinUIOp, arith::MaxUIOp>(context);
  attach<Shared<extend, false>::Model, arith::ExtUIOp>(context);
  attach<Shared<extend, true>::Model, arith::ExtSIOp>(context);
  attach<Shared<castIndex, true>::Model, arith::IndexCastOp>(context);
  attach<Shared<castIndex, false>::Model, arith::IndexCastUIOp>(context);
}
