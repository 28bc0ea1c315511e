// specialize-ranges: marks index arithmetic that does not wrap. See Passes.td.
//
//     %o = arith.addi %row, %columns : tensor<128xi32>          arith.addi ... overflow<nsw>
//     %c = arith.remsi %o, %n : tensor<128xi32>                 arith.remui %o, %n
//
// The pass only considers operations about which axis analysis can learn something: an aligned group of indices cannot
// wrap in the middle, and needs no mark.
//
// A loop whose index may wrap before it reaches the bound would not end. It counts its iterations instead.
//
// That the 32-bit arithmetic in addresses does not wrap is a condition, too. Without conditions, WidenOffsets.h makes
// it 64-bit arithmetic.

#include "AddressArithmetic.h"
#include "NarrowEquality.h"
#include "WidenOffsets.h"

#include "tilewright/Analysis/AxisInfo.h"
#include "tilewright/Analysis/IndexRanges.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace tilewright {
#define GEN_PASS_DEF_SPECIALIZERANGES
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

using runtime::LaunchConditions;
using runtime::RangeOp;
using Check = IndexRanges::Check;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

bool countsAlong(const AxisInfo &info, unsigned dim) { return info.getContiguity(dim) > 1; }

/// Whether one side is contiguous along a dimension in which the other is constant or contiguous too.
bool hasCountingSide(Operation *op, AxisInfoAnalysis &axis) {
  const AxisInfo &lhs = axis.get(op->getOperand(0)), &rhs = axis.get(op->getOperand(1));
  for (unsigned dim = 0; dim < lhs.getRank(); ++dim) {
    bool left = countsAlong(lhs, dim), right = countsAlong(rhs, dim);
    if ((left && (right || rhs.getConstancy(dim) > 1)) || (right && lhs.getConstancy(dim) > 1)) {
      return true;
    }
  }
  return false;
}

bool isUnsigned(arith::CmpIPredicate predicate) { return predicate >= arith::CmpIPredicate::ult; }

/// The conditions under which `assume` may change the operation; none if that would be of no use.
SmallVector<Check, 2> checksOf(Operation *op, AxisInfoAnalysis &axis, const IndexRanges &ranges) {
  auto nonNegative = [&](ValueRange values) {
    return llvm::map_to_vector<2>(values,
                                  [&](Value value) { return ranges.checkOf(RangeOp::CheckNonNegative, value); });
  };
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && !matchPattern(loop.getStep(), m_One())) {
    return {ranges.endCheckOf(loop)};
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::TruncIOp>(op) && axis.get(op->getResult(0)).mayWrap()) {
    return {ranges.checkOf(RangeOp::CheckNoWrap, op->getResult(0))};
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (Value indices = compare ? findNarrowIndices(compare) : Value()) {
    return nonNegative(indices);
  }
  bool readsSign = isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp>(op);
  if ((readsSign || (compare && isUnsigned(compare.getPredicate()))) && hasCountingSide(op, axis)) {
    return nonNegative(op->getOperands());
  }
  if (isa<arith::ExtUIOp>(op)) {
    const AxisInfo &source = axis.get(op->getOperand(0));
    for (unsigned dim = 0; dim < source.getRank(); ++dim) {
      if (countsAlong(source, dim) && source.getContiguity(dim) > source.getDivisibility(dim)) {
        return nonNegative(op->getOperands());
      }
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

template <typename Op> void markNoWrap(Op op) {
  op.setOverflowFlags(op.getOverflowFlags() | arith::IntegerOverflowFlags::nsw);
}

template <typename New> void replaceBy(Operation *op) {
  OpBuilder builder(op);
  auto made = New::create(builder, op->getLoc(), op->getResultTypes(), op->getOperands());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->replaceAllUsesWith(made);
  op->erase();
}

arith::CmpIPredicate signedForm(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::ult:
    return arith::CmpIPredicate::slt;
  case arith::CmpIPredicate::ule:
    return arith::CmpIPredicate::sle;
  case arith::CmpIPredicate::ugt:
    return arith::CmpIPredicate::sgt;
  case arith::CmpIPredicate::uge:
    return arith::CmpIPredicate::sge;
  default:
    llvm_unreachable("not unsigned");
  }
}

/// Rewrites an operation given that its checks hold.
void assume(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::TruncIOp>([](auto sum) { markNoWrap(sum); })
      .Case<arith::DivSIOp, arith::FloorDivSIOp>([](auto division) { replaceBy<arith::DivUIOp>(division); })
      .Case([](arith::RemSIOp remainder) { replaceBy<arith::RemUIOp>(remainder); })
      .Case([](arith::ExtUIOp extension) { replaceBy<arith::ExtSIOp>(extension); })
      .Case([](arith::CmpIOp compare) {
        if (isUnsigned(compare.getPredicate())) {
          compare.setPredicate(signedForm(compare.getPredicate()));
        } else {
          narrowEquality(compare);
        }
      });
}

/// Whether a signed integer of the index's width holds the number of iterations, whatever the bounds are.
bool isCountSigned(scf::ForOp loop) {
  APInt step;
  return matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.ugt(2);
}

/// Lets a loop count its iterations, of which there are no more than an unsigned integer of the index's width holds:
///
///     scf.for %i = %lower to %upper step %step  ->  scf.for unsigned %t = 0 to %trips step 1
///                                                     %i = %lower + %t * %step
///
/// With a constant step of 3 or more it counts signed: only such loops are pipelined.
void countIterations(scf::ForOp loop) {
  ImplicitLocOpBuilder builder(loop.getLoc(), loop);
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep(),
        index = loop.getInductionVar();
  bool isUnsigned = loop.getUnsignedCmp();
  Value zero = arith::ConstantOp::create(builder, builder.getIntegerAttr(index.getType(), 0));
  Value one = arith::ConstantOp::create(builder, builder.getIntegerAttr(index.getType(), 1));
  Value runs =
      arith::CmpIOp::create(builder, isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, lower, upper);
  Value toLast = arith::SubIOp::create(builder, arith::SubIOp::create(builder, upper, lower), one);
  Value steps = arith::AddIOp::create(builder, arith::DivUIOp::create(builder, toLast, step), one);
  loop.setLowerBound(zero);
  loop.setUpperBound(arith::SelectOp::create(builder, runs, steps, zero));
  loop.setUnsignedCmp(!isCountSigned(loop));
  loop.setStep(one);
  builder.setInsertionPointToStart(loop.getBody());
  auto offset = arith::MulIOp::create(builder, index, step);
  auto counted = arith::AddIOp::create(builder, lower, offset);
  index.replaceAllUsesExcept(counted, offset);
}

/// Adds the conditions under which addresses need no 64-bit offsets. The operations are not marked: where that would
/// tell axis analysis something, they have conditions already. Of arithmetic with loaded values, and with a function's
/// arguments and results, nothing is known but that it does not leave the arrays.
void assumeExactAddresses(FunctionOpInterface function, IndexRanges &ranges, SmallVectorImpl<Check> &assumed) {
  AddressArithmetic addresses(function);
  for (Value value : addresses.values()) {
    Operation *op = value.getDefiningOp();
    if (!op || !addresses.needsExactResult(op)) {
      continue;
    }
    Check check = ranges.checkOf(RangeOp::CheckNoWrap, value);
    if (!ranges.holdsAlways(check)) {
      assumed.push_back(ranges.isEvaluable(check) ? check : ranges.smallArraysCheck());
    }
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

class SpecializeRanges : public impl::SpecializeRangesBase<SpecializeRanges> {
  using SpecializeRangesBase::SpecializeRangesBase;

  void runOnOperation() override {
    SmallVector<FunctionOpInterface> kernels;
    bool needSmallArrays = false; // because of functions that the kernels call
    getOperation()->walk([&](FunctionOpInterface function) {
      if (function->hasAttr(tile::TileDialect::kKernelAttr)) {
        kernels.push_back(function);
      } else if (!function.isDeclaration()) {
        needSmallArrays |= specializeCallee(function);
      }
    });
    for (FunctionOpInterface kernel : kernels) {
      specialize(kernel, needSmallArrays);
    }
  }

  /// Rewrites what holds whatever the arguments are. Returns whether addresses are exact only if the arrays are small.
  bool specializeCallee(FunctionOpInterface function) {
    AxisInfoAnalysis axis(function);
    IndexRanges ranges(function);
    SmallVector<Check> exact;
    assumeExactAddresses(function, ranges, exact);
    SmallVector<Operation *> proven;
    SmallVector<scf::ForOp> unproven;
    function->walk([&](Operation *op) {
      SmallVector<Check, 2> checks = checksOf(op, axis, ranges);
      bool holds = llvm::all_of(checks, [&](const Check &check) { return ranges.holdsAlways(check); });
      if (!checks.empty() && holds) {
        proven.push_back(op);
      } else if (auto loop = dyn_cast<scf::ForOp>(op); loop && !holds) {
        unproven.push_back(loop);
      }
    });
    llvm::for_each(proven, assume);
    llvm::for_each(unproven, countIterations);
    return !exact.empty();
  }

  void specialize(FunctionOpInterface function, bool needSmallArrays) {
    if (!atLaunch) {
      widenOffsets(function, Widened::MayWrap);
    }
    AxisInfoAnalysis axis(function);
    IndexRanges ranges(function);
    SmallVector<Operation *> proven;
    SmallVector<scf::ForOp> unproven;
    SmallVector<Check> assumed;
    function->walk([&](Operation *op) {
      SmallVector<Check, 2> checks = checksOf(op, axis, ranges);
      if (checks.empty()) {
        return;
      }
      bool canBeTold = llvm::all_of(checks, [&](const Check &check) { return ranges.isEvaluable(check); });
      bool isStatic = canBeTold && ranges.conditionsFor(checks).holdAlways();
      if (isStatic || (canBeTold && atLaunch)) {
        proven.push_back(op);
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        unproven.push_back(loop);
      }
      if (!canBeTold) {
        return;
      }
      if (!isStatic && atLaunch) {
        llvm::append_range(assumed, checks);
      }
    });
    if (atLaunch) {
      assumeExactAddresses(function, ranges, assumed);
      if (needSmallArrays) {
        assumed.push_back(ranges.smallArraysCheck());
      }
    }
    if (!assumed.empty()) {
      Builder builder(function.getContext());
      getOperation()->setAttr(tile::TileDialect::kLaunchConditionsAttr,
                              builder.getDenseI64ArrayAttr(ranges.conditionsFor(assumed).encode()));
    }
    llvm::for_each(proven, assume);
    llvm::for_each(unproven, countIterations);
  }
};

} // namespace
} // namespace tilewright
