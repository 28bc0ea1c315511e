// guard-selects: skips selections by masks of which all elements are true. See Passes.td.
//
//     %m = cmpi sge, %rows, %columns            %all = cmpi ... : i1          no column is beyond the first row
//     %y = select %m, %x, %other          =     %y = scf.if %all { %x } else { select (cmpi ...), %x, %other }
//
// In attention with a causal mask that leaves the tiles on the diagonal.

#include "IndexSums.h"

#include "tilewright/Dialect/TileGPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_GUARDSELECTS
#include "tilewright/Dialect/TileGPU/Transforms/Passes.h.inc"
} // namespace tilewright::tilegpu

/// The elements per thread from which a branch pays.
static constexpr int64_t kMinElements = 16;

/// A sum of few products can't wrap in 64 bits if each has at most one scalar of 32 bits and a factor up to this.
static constexpr int64_t kMaxFactor = int64_t(1) << 24;

//===----------------------------------------------------------------------===//
// Conditions on sums
//===----------------------------------------------------------------------===//

namespace {
/// The scalar part of a sum, and the range of its constant and its indices: that of a tile's elements.
struct SumRange {
  IndexSum scalars;
  int64_t least = 0, greatest = 0;
};

/// That the scalars and the constant add up to a negative number.
struct Negative {
  IndexSum scalars;
  int64_t constant;
};
} // namespace

/// None if the range can't be computed in 64 bits.
static std::optional<SumRange> rangeOf(const IndexSum &sum, ArrayRef<int64_t> shape) {
  SumRange range;
  for (const IndexProduct &product : sum.products()) {
    if (product.scalars.size() + (product.dim >= 0 ? 1 : 0) > 1 || std::abs(product.factor) > kMaxFactor) {
      return std::nullopt;
    }
    if (!product.scalars.empty()) {
      range.scalars.add(product);
      continue;
    }
    int64_t last = product.dim >= 0 ? product.factor * (shape[product.dim] - 1) : product.factor;
    range.least += product.dim >= 0 ? std::min<int64_t>(last, 0) : last;
    range.greatest += product.dim >= 0 ? std::max<int64_t>(last, 0) : last;
  }
  return range;
}

/// Adds that the sum of an operation's integers does not wrap. Sums of 64 bits are far from it.
static bool addNoWrap(Value result, IndexSums &sums, SmallVectorImpl<Negative> &conditions) {
  unsigned bits = tile::getElementType(result.getType()).getIntOrFloatBitWidth();
  std::optional<IndexSum> sum = sums.of(result);
  std::optional<SumRange> range = sum ? rangeOf(*sum, tile::getShape(result.getType())) : std::nullopt;
  if (!range) {
    return false;
  }
  if (bits < 64) {
    conditions.push_back({range->scalars, range->greatest - llvm::maxIntN(bits) - 1});
    conditions.push_back({range->scalars.times(-1), llvm::minIntN(bits) - range->least - 1});
  }
  return true;
}

/// The greatest sum of any scalars of 32 bits and the constant.
static int64_t greatestOf(const Negative &condition) {
  int64_t greatest = condition.constant;
  for (const IndexProduct &product : condition.scalars.products()) {
    greatest += product.factor * (product.factor > 0 ? llvm::maxIntN(32) : llvm::minIntN(32));
  }
  return greatest;
}

/// Drops conditions that always hold. Returns whether all others may hold.
static bool simplify(SmallVectorImpl<Negative> &conditions) {
  llvm::erase_if(conditions, [](const Negative &condition) { return greatestOf(condition) < 0; });
  return llvm::none_of(conditions, [](const Negative &condition) { return condition.scalars.products().empty(); });
}

/// Conditions under which all elements of the mask are `value`; none if there are none, or too many.
static std::optional<SmallVector<Negative>> conditionsFor(Value mask, bool value) {
  constexpr size_t kMaxConditions = 16;
  IndexSums sums;
  auto negative = sums.ofMask(mask);
  if (!negative || !sums.remainders().empty() || (!value && negative->size() != 1)) {
    return std::nullopt;
  }
  SmallVector<Negative> conditions;
  for (const IndexSum &sum : *negative) {
    std::optional<SumRange> range = rangeOf(sum, tile::getShape(mask.getType()));
    if (!range) {
      return std::nullopt;
    }
    conditions.push_back(value ? Negative{range->scalars, range->greatest}
                               : Negative{range->scalars.times(-1), -range->least - 1});
  }
  bool areKnown = llvm::all_of(sums.arithmetic(), [&](Value result) { return addNoWrap(result, sums, conditions); });
  return areKnown && simplify(conditions) && conditions.size() <= kMaxConditions ? std::optional(conditions)
                                                                                 : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static Value emit(OpBuilder &builder, Location loc, const Negative &condition) {
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(builder, loc, value, 64); };
  Value total = constant(condition.constant);
  for (const IndexProduct &product : condition.scalars.products()) {
    Value scalar = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), product.scalars.front());
    scalar = arith::MulIOp::create(builder, loc, scalar, constant(product.factor));
    total = arith::AddIOp::create(builder, loc, total, scalar);
  }
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, total, constant(0));
}

static Value emit(OpBuilder &builder, Location loc, ArrayRef<Negative> conditions) {
  Value all;
  for (const Negative &condition : conditions) {
    Value holds = emit(builder, loc, condition);
    all = all ? arith::AndIOp::create(builder, loc, all, holds).getResult() : holds;
  }
  return all;
}

/// Moves what only the branch uses into it: the mask, which is computed from integers of each thread.
static void sinkMask(scf::IfOp branch, Block &into) {
  for (Operation *op = branch->getPrevNode(), *previous; op; op = previous) {
    previous = op->getPrevNode();
    bool isOfMask = isa<arith::ArithDialect>(op->getDialect()) ||
                    isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::MakeRangeOp>(op);
    if (isOfMask && !op->use_empty() && isa<RankedTensorType>(op->getResult(0).getType()) &&
        llvm::all_of(op->getUsers(), [&](Operation *user) { return user->getBlock() == &into; })) {
      op->moveBefore(&into, into.begin());
    }
  }
}

static void guard(RewriterBase &rewriter, arith::SelectOp select, ArrayRef<Negative> conditions, Value kept) {
  rewriter.setInsertionPoint(select);
  Location loc = select.getLoc();
  auto branch = scf::IfOp::create(rewriter, loc, select.getType(), emit(rewriter, loc, conditions),
                                  /*withElseRegion=*/true);
  rewriter.replaceAllUsesWith(select.getResult(), branch.getResult(0));
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(rewriter, loc, kept);
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  auto yield = scf::YieldOp::create(rewriter, loc, select.getResult());
  select->moveBefore(yield);
  sinkMask(branch, *branch.elseBlock());
}

/// Whether a loop selects many elements per thread by a mask of each iteration.
static bool isWorthwhile(arith::SelectOp select) {
  auto mask = dyn_cast<TypedValue<RankedTensorType>>(select.getCondition());
  if (!mask || !isa<scf::ForOp>(select->getParentOp())) {
    return false;
  }
  Operation *source = mask.getDefiningOp();
  LayoutAttr layout = getLayout(select.getResult());
  return source && source->getBlock() == select->getBlock() && layout && layout.registers() >= kMinElements;
}

static void guard(RewriterBase &rewriter, arith::SelectOp select) {
  bool keepsFalse = matchPattern(select.getTrueValue(), m_Constant());
  if (auto conditions = conditionsFor(select.getCondition(), !keepsFalse)) {
    guard(rewriter, select, *conditions, keepsFalse ? select.getFalseValue() : select.getTrueValue());
  }
}

namespace {
class GuardSelects : public tilegpu::impl::GuardSelectsBase<GuardSelects> {
  void runOnOperation() override {
    SmallVector<arith::SelectOp> selects;
    getOperation()->walk([&](arith::SelectOp select) {
      if (isWorthwhile(select)) {
        selects.push_back(select);
      }
    });
    IRRewriter rewriter(&getContext());
    for (arith::SelectOp select : selects) {
      guard(rewriter, select);
    }
  }
};
} // namespace
