#include "ExitFormula.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

using Kind = ExitFormula::Kind;
using Formula = std::optional<ExitFormula>;

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

static ExitFormula always(bool holds) { return {holds ? Kind::AtOnce : Kind::Never, {}, {}, {}, {}, {}}; }

static ExitFormula choose(Value condition, ExitFormula first, ExitFormula second) {
  return {Kind::Choose, condition, {}, {}, {}, {std::move(first), std::move(second)}};
}

Formula earliest(Formula first, Formula second) {
  if (!first || !second) {
    return std::nullopt;
  }
  return ExitFormula{Kind::Earliest, {}, {}, {}, {}, {std::move(*first), std::move(*second)}};
}

/// The first iteration in which the conditions of both formulas hold. That of `fixed` has to hold in all iterations or
/// in none.
static Formula both(const Formula &varying, const Formula &fixed) {
  if (!varying || !fixed) {
    return std::nullopt;
  }
  if (fixed->kind == Kind::Never) {
    return always(false);
  }
  if (fixed->kind == Kind::AtOnce) {
    return varying;
  }
  if (fixed->kind != Kind::Choose) {
    return std::nullopt;
  }
  Formula left = both(varying, fixed->parts[0]), right = both(varying, fixed->parts[1]);
  return left && right ? Formula(choose(fixed->condition, *left, *right)) : std::nullopt;
}

static Formula inEitherOrder(const Formula &left, const Formula &right) {
  Formula found = both(left, right);
  return found ? found : both(/*varying=*/right, /*fixed=*/left);
}

Formula ExitFormulas::firstWhere(Value condition, bool holds) {
  if (++steps > kMaxSteps) {
    return std::nullopt;
  }
  condition = control.throughCondition(condition);
  APInt constant;
  if (matchPattern(condition, m_ConstantInt(&constant))) {
    return always(constant.getBoolValue() == holds);
  }
  if (control.isStopFlag(condition)) {
    return always(!holds);
  }
  if (isInvariant(condition)) {
    return choose(condition, always(holds), always(!holds));
  }
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op)) {
    return firstOfBoth(op, holds);
  }
  if (auto inverted = dyn_cast_or_null<arith::XOrIOp>(op); inverted && matchPattern(inverted.getRhs(), m_One())) {
    return firstWhere(inverted.getLhs(), !holds);
  }
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op)) {
    return firstOfComparison(compare, holds);
  }
  return firstOfCode(condition, arith::CmpIPredicate::eq, APInt(1, holds));
}

Formula ExitFormulas::firstOfBoth(Operation *op, bool holds) {
  Formula left = firstWhere(op->getOperand(0), holds), right = firstWhere(op->getOperand(1), holds);
  if (isa<arith::OrIOp>(op) == holds) {
    return earliest(std::move(left), std::move(right));
  }
  return inEitherOrder(left, right);
}

/// Of `condition ? first : second`.
Formula ExitFormulas::firstOfChoice(Value condition, const Formula &first, const Formula &second) {
  if (!first || !second) {
    return std::nullopt;
  }
  if (isInvariant(condition)) {
    return choose(condition, *first, *second);
  }
  if (first->kind == Kind::AtOnce) {
    return earliest(firstWhere(condition, true), second);
  }
  if (second->kind == Kind::AtOnce) {
    return earliest(firstWhere(condition, false), first);
  }
  if (first->kind == Kind::Never) {
    return inEitherOrder(firstWhere(condition, false), second);
  }
  if (second->kind == Kind::Never) {
    return inEitherOrder(firstWhere(condition, true), first);
  }
  return std::nullopt;
}

/// Of a comparison of a constant with what may be a constant on each path, such as an exit code.
Formula ExitFormulas::firstOfCode(Value code, arith::CmpIPredicate predicate, const APInt &constant) {
  APInt value;
  if (++steps > kMaxSteps) {
    return std::nullopt;
  }
  if (matchPattern(code, m_ConstantInt(&value))) {
    return always(arith::applyCmpPredicate(predicate, value, constant));
  }
  bool isCondition = code.getType().isInteger(1);
  auto part = [&](Value chosen) {
    return isCondition ? firstWhere(chosen, constant.getBoolValue()) : firstOfCode(chosen, predicate, constant);
  };
  if (auto branch = code.getDefiningOp<scf::IfOp>()) {
    unsigned index = cast<OpResult>(code).getResultNumber();
    return firstOfChoice(branch.getCondition(), part(branch.thenYield()->getOperand(index)),
                         part(branch.elseYield()->getOperand(index)));
  }
  if (auto select = code.getDefiningOp<arith::SelectOp>()) {
    return firstOfChoice(select.getCondition(), part(select.getTrueValue()), part(select.getFalseValue()));
  }
  return std::nullopt;
}

Formula ExitFormulas::firstOfComparison(arith::CmpIOp compare, bool holds) {
  arith::CmpIPredicate predicate = holds ? compare.getPredicate() : arith::invertPredicate(compare.getPredicate());
  std::optional<Affine> left = affine(compare.getLhs()), right = affine(compare.getRhs());
  if (left && right && !(left->slope && right->slope)) {
    return ExitFormula{Kind::Compare, {}, predicate, std::move(*left), std::move(*right), {}};
  }
  APInt constant;
  return matchPattern(compare.getRhs(), m_ConstantInt(&constant)) ? firstOfCode(compare.getLhs(), predicate, constant)
                                                                  : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Affine values
//===----------------------------------------------------------------------===//

/// The least n for which the magnitude of the product is known to be at most 2^n.
static size_t bitsOf(const InvariantProduct &product) {
  auto magnitude = static_cast<uint64_t>(std::abs(product.factor));
  return llvm::Log2_64_Ceil(std::max<uint64_t>(magnitude, 1)) + 31 * product.scalars.size();
}

/// Bounds for which sums, and products with up to 2^31 iterations, fit 64 bits.
static constexpr size_t kMaxProducts = 8, kStartBits = 57, kSlopeBits = 31;

static std::optional<InvariantProduct> multiply(InvariantProduct left, const InvariantProduct &right, size_t maxBits) {
  if (bitsOf(left) + bitsOf(right) > maxBits) {
    return std::nullopt;
  }
  left.factor *= right.factor;
  llvm::append_range(left.scalars, right.scalars);
  return left;
}

static std::optional<Affine> scale(const Affine &value, const InvariantProduct &by) {
  Affine scaled;
  for (const InvariantProduct &product : value.start) {
    std::optional<InvariantProduct> part = multiply(product, by, kStartBits);
    if (!part) {
      return std::nullopt;
    }
    scaled.start.push_back(*part);
  }
  scaled.slope = value.slope ? multiply(*value.slope, by, kSlopeBits) : std::nullopt;
  return value.slope && !scaled.slope ? std::nullopt : std::optional(scaled);
}

static std::optional<Affine> add(Affine left, const std::optional<Affine> &right) {
  if (!right || (left.slope && right->slope) || left.start.size() + right->start.size() > kMaxProducts) {
    return std::nullopt;
  }
  llvm::append_range(left.start, right->start);
  left.slope = left.slope ? left.slope : right->slope;
  return left;
}

std::optional<Affine> ExitFormulas::affineOfArithmetic(Operation *op) {
  std::optional<Affine> left = affine(op->getOperand(0)), right = left ? affine(op->getOperand(1)) : std::nullopt;
  if (!right) {
    return std::nullopt;
  }
  if (isa<arith::AddIOp>(op)) {
    return add(*left, right);
  }
  if (isa<arith::SubIOp>(op)) {
    return add(*left, scale(*right, {-1, {}}));
  }
  auto isProduct = [](const Affine &value) { return !value.slope && value.start.size() == 1; };
  if (isProduct(*right)) {
    return scale(*left, right->start.front());
  }
  return isProduct(*left) ? std::optional(scale(*right, left->start.front())) : std::nullopt;
}

/// What an iteration that does not end the loop early passes on.
Value ExitFormulas::nextOf(BlockArgument argument) {
  Value next = tile::withoutHints(loop.getYieldedValues()[argument.getArgNumber()]);
  while (auto branch = next.getDefiningOp<scf::IfOp>()) {
    const auto *found = decided.find(branch);
    if (found == decided.end()) {
      break;
    }
    scf::YieldOp yield = found->second ? branch.thenYield() : branch.elseYield();
    next = tile::withoutHints(yield->getOperand(cast<OpResult>(next).getResultNumber()));
  }
  return control.throughCondition(next);
}

/// Of a value to which each iteration adds an amount that the loop does not change.
std::optional<Affine> ExitFormulas::affineOfArgument(BlockArgument argument) {
  if (argument.getOwner() != loop.getBeforeBody()) {
    return std::nullopt;
  }
  Affine start = {{}, std::nullopt};
  Value init = loop.getInits()[argument.getArgNumber()];
  APInt constant;
  if (matchPattern(init, m_ConstantInt(&constant))) {
    start.start.push_back({constant.getSExtValue(), {}});
  } else {
    start.start.push_back({1, {init}});
  }
  Operation *next = nextOf(argument).getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(next)) {
    return std::nullopt;
  }
  auto isArgument = [&](Value value) { return control.throughCondition(tile::withoutHints(value)) == argument; };
  bool isLeft = isArgument(next->getOperand(0));
  if (!isLeft && !(isa<arith::AddIOp>(next) && isArgument(next->getOperand(1)))) {
    return std::nullopt;
  }
  std::optional<Affine> amount = affine(next->getOperand(isLeft ? 1 : 0));
  if (!amount || amount->slope || amount->start.size() != 1) {
    return std::nullopt;
  }
  start.slope = multiply(amount->start.front(), {isa<arith::SubIOp>(next) ? -1 : 1, {}}, kSlopeBits);
  return start.slope ? std::optional(start) : std::nullopt;
}

std::optional<Affine> ExitFormulas::affine(Value value) {
  value = control.throughCondition(tile::withoutHints(value));
  if (!value.getType().isInteger(32) || ++steps > kMaxSteps) {
    return std::nullopt;
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    return Affine{{{constant.getSExtValue(), {}}}, std::nullopt};
  }
  if (isInvariant(value)) {
    return Affine{{{1, {value}}}, std::nullopt};
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    return affineOfArgument(argument);
  }
  Operation *op = value.getDefiningOp();
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) ? affineOfArithmetic(op) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Properties of values
//===----------------------------------------------------------------------===//

bool ExitFormulas::isInvariant(Value value) {
  value = control.throughCondition(value);
  if (!control.isInside(value)) {
    return true;
  }
  auto [known, isNew] = invariant.try_emplace(value, false);
  if (!isNew || isa<BlockArgument>(value)) {
    return known->second;
  }
  Operation *op = value.getDefiningOp();
  bool result = false;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    result = isInvariant(branch.getCondition()) && isInvariant(branch.thenYield()->getOperand(index)) &&
             isInvariant(branch.elseYield()->getOperand(index));
  } else {
    result = isScalarArithmetic(op) && llvm::all_of(op->getOperands(), [&](Value v) { return isInvariant(v); });
  }
  return invariant[value] = result;
}

bool ExitFormulas::countsIterations(Value value) {
  auto argument = dyn_cast<BlockArgument>(control.throughCondition(value));
  if (!argument || argument.getOwner() != loop.getBeforeBody() ||
      !matchPattern(loop.getInits()[argument.getArgNumber()], m_Zero())) {
    return false;
  }
  auto next = nextOf(argument).getDefiningOp<arith::AddIOp>();
  return next && control.throughCondition(next.getLhs()) == argument && matchPattern(next.getRhs(), m_One());
}

} // namespace tilewright
