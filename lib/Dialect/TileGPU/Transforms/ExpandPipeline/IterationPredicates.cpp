#include "IterationPredicates.h"

#include "../Iterations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::tilegpu {

namespace {
/// The iteration that comes `iterations` after the one with the index `from`.
struct Later {
  Value from;
  int64_t iterations;
};
} // namespace

/// Whether indices from `first` stay far from the ends of their type for as many iterations as loops are ahead.
static bool isFarFromEnds(Value first, Value step) {
  constexpr int64_t kFar = int64_t(1) << 24;
  APInt least, by;
  return matchPattern(first, m_ConstantInt(&least)) && matchPattern(step, m_ConstantInt(&by)) && !least.isNegative() &&
         least.sle(kFar) && by.isStrictlyPositive() && by.sle(kFar);
}

IterationPredicates::IterationPredicates(scf::ForOp loop)
    : loop(loop), mayWrap(!isFarFromEnds(loop.getLowerBound(), loop.getStep())) {}

/// The constant by which the step is multiplied.
static std::optional<int64_t> multipleOf(Value value, Value step) {
  auto product = value.getDefiningOp<arith::MulIOp>();
  APInt factor;
  bool isMultiple = product && product.getLhs() == step && matchPattern(product.getRhs(), m_ConstantInt(&factor));
  return isMultiple ? std::optional(factor.getSExtValue()) : std::nullopt;
}

/// Before the loop, the predicate is `first + step * n < end`, in its body `index < end - step * n`.
static std::optional<Later> laterOf(Value predicate, scf::ForOp loop) {
  Value first = loop.getLowerBound(), end = loop.getUpperBound(), step = loop.getStep();
  auto compare = predicate.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt) {
    return std::nullopt;
  }
  std::optional<int64_t> iterations;
  Value from;
  if (auto sum = compare.getLhs().getDefiningOp<arith::AddIOp>(); sum && compare.getRhs() == end) {
    from = sum.getLhs();
    iterations = from == first ? multipleOf(sum.getRhs(), step) : std::nullopt;
  } else if (auto difference = compare.getRhs().getDefiningOp<arith::SubIOp>()) {
    from = compare.getLhs();
    iterations =
        isa<BlockArgument>(from) && difference.getLhs() == end ? multipleOf(difference.getRhs(), step) : std::nullopt;
  }
  return iterations ? std::optional(Later{from, *iterations}) : std::nullopt;
}

/// Whether the loop has that iteration, if it has the one at `from`. The distance to the end has no sign; a product
/// that does not fit is larger than it.
static Value emitHas(RewriterBase &rewriter, Location loc, const Later &later, scf::ForOp loop) {
  Type type = later.from.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(rewriter, loc, rewriter.getIntegerAttr(type, value));
  };
  Value left = arith::SubIOp::create(rewriter, loc, loop.getUpperBound(), later.from);
  auto ahead = arith::MulUIExtendedOp::create(rewriter, loc, loop.getStep(), constant(later.iterations));
  Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, ahead.getHigh(), constant(0));
  Value isFarther = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ugt, left, ahead.getLow());
  return arith::AndIOp::create(rewriter, loc, fits, isFarther);
}

Value IterationPredicates::replace(RewriterBase &rewriter, Value predicate) {
  Value &result = replaced[predicate];
  if (result) {
    return result;
  }
  std::optional<Later> later = laterOf(predicate, loop);
  if (!later) {
    return Value();
  }
  result = predicate;
  if (mayWrap) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfter(predicate.getDefiningOp());
    Location loc = predicate.getLoc();
    result = emitHas(rewriter, loc, *later, loop);
    if (later->from == loop.getLowerBound()) {
      result = arith::AndIOp::create(rewriter, loc, hasAny(rewriter, loc, loop), result);
    }
  }
  return result;
}

} // namespace tilewright::tilegpu
